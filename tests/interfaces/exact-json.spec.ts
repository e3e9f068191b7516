import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readExact, writeExact } from '../../interfaces/exact-json.js';

/** What the service can store: no NUL. */
const withoutNul = (value: unknown) => !JSON.stringify(value).includes('\\u0000');
const beyond = fc.bigInt({ min: 2n ** 53n, max: 2n ** 256n });

describe('JSON with all digits', () => {
  it('writes what JSON.stringify writes, on one line and on several', () =>
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(writeExact(value), JSON.stringify(value));
        assert.equal(writeExact(value, 2), JSON.stringify(value, null, 2));
      }),
    ));

  it('reads what JSON.parse reads, but for integers that are no safe numbers', () =>
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }).filter(withoutNul), (value) => {
        const text = JSON.stringify(value);
        const numbers = JSON.parse(writeExact(readExact(text)));
        assert.deepEqual(numbers, JSON.parse(text));
      }),
    ));

  it('gives back large integers, beside texts that look like them', () =>
    fc.assert(
      fc.property(beyond, fc.boolean(), fc.string().filter(withoutNul), (large, isNegative, text) => {
        const value = { [`${large}`]: [isNegative ? -large : large, `${large}`, `\\"${large}`, text, 1.5, 7] };
        assert.deepEqual(readExact(writeExact(value)), value);
      }),
    ));
});
