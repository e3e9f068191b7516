import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterString } from '../../domain/json-bytes.js';

describe('afterString', () => {
  for (const [kind, text, end] of [
    ['an empty string', '"",1', 2],
    ['a plain string', '"abc":1', 5],
    ['an escaped quote', String.raw`"a\"b" "c"`, 6],
    ['an escaped backslash before the quote', String.raw`"a\\" "c"`, 5],
    ['an escaped backslash and an escaped quote', String.raw`"a\\\"" "c"`, 7],
    ['a string that does not end', '"abc', 4],
    ['a string whose last quote is escaped', String.raw`"abc\"`, 6],
  ] as const)
    it(`finds the end of ${kind}`, () => assert.equal(afterString(Buffer.from(text), 0), end));

  it('looks no further back than the start of the string', () => {
    assert.equal(afterString(Buffer.from(String.raw`\\\"",1`), 3), 5);
  });

  it('finds the end of any string that JSON can write, wherever the string starts', () => {
    const text = fc.string({ unit: fc.oneof(fc.constantFrom('"', '\\', 'a', '\n'), fc.string({ unit: 'grapheme' })) });
    fc.assert(
      fc.property(text, text, text, (before, value, after) => {
        const [head, middle, tail] = [before, value, after].map((one) => Buffer.from(JSON.stringify(one))) as [
          Buffer,
          Buffer,
          Buffer,
        ];
        assert.equal(afterString(Buffer.concat([head, middle, tail]), head.length), head.length + middle.length);
      }),
    );
  });
});
