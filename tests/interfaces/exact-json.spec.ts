import assert from 'node:assert/strict';
import fc from 'fast-check';
import { writeExact } from '../../interfaces/exact-json.js';
import { readExact } from '../../sdk/typescript/src/exact-json.js';

/** Reports whether a value has no NUL character, which the service cannot store. */
const withoutNul = (value: unknown) => !JSON.stringify(value).includes('\\u0000');
const beyond = fc.bigInt({ min: 2n ** 53n, max: 2n ** 256n });

describe('the exact JSON codec', () => {
  it('writes the same text as JSON.stringify, with and without indentation', () =>
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(writeExact(value), JSON.stringify(value));
        assert.equal(writeExact(value, 2), JSON.stringify(value, null, 2));
      }),
    ));

  it('reads the same values as JSON.parse, except for unsafe integers', () =>
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }).filter(withoutNul), (value) => {
        const text = JSON.stringify(value);
        const numbers = JSON.parse(writeExact(readExact(text)));
        assert.deepEqual(numbers, JSON.parse(text));
      }),
    ));

  it('reads and writes large integers without loss, even beside strings that look like them', () =>
    fc.assert(
      fc.property(beyond, fc.boolean(), fc.string().filter(withoutNul), (large, isNegative, text) => {
        const value = { [`${large}`]: [isNegative ? -large : large, `${large}`, `\\"${large}`, text, 1.5, 7] };
        assert.deepEqual(readExact(writeExact(value)), value);
      }),
    ));
});
