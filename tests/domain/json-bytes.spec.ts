import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterString } from '../../domain/json-bytes.js';

describe('afterString', () => {
  for (const { kind, text, end } of [
    { kind: 'an empty string', text: '"",1', end: 2 },
    { kind: 'a plain string', text: '"abc":1', end: 5 },
    { kind: 'a string with an escaped quote', text: String.raw`"a\"b" "c"`, end: 6 },
    { kind: 'a string with an escaped backslash before the quote', text: String.raw`"a\\" "c"`, end: 5 },
    { kind: 'a string with an escaped backslash and an escaped quote', text: String.raw`"a\\\"" "c"`, end: 7 },
    { kind: 'an unterminated string', text: '"abc', end: 4 },
    { kind: 'a string whose last quote is escaped', text: String.raw`"abc\"`, end: 6 },
  ])
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
