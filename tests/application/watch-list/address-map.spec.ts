import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createAddressMap } from '../../../application/watch-list/address-map.js';
import { maxAddressLength } from '../../../domain/aggregates/address.js';

const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });
const evm = hex(40).map((text) => `0x${text}`);
const long = hex(64).map((text) => `0x${text}`);
const workchain = fc.tuple(fc.constantFrom(-1, 0, 1), hex(64)).map(([chain, text]) => `${chain}:${text}`);
/** Addresses that differ only in one digit, in the form or in the workchain. */
const alike = fc.constantFrom(
  ...['0', '1', 'f'].flatMap((digit) => [
    `0x${'0'.repeat(39)}${digit}`,
    `0x${digit}${'0'.repeat(39)}`,
    `0x${'0'.repeat(63)}${digit}`,
    ...['-1', '0', '1'].map((chain) => `${chain}:${'0'.repeat(63)}${digit}`),
  ]),
);
const address = fc.oneof({ arbitrary: alike, weight: 3 }, evm, long, workchain);

/** Near misses of a hex form: too long, too short, in upper case, with an invalid letter or another number format. */
const nearHex = fc.oneof(
  fc
    .tuple(fc.oneof(evm, long, workchain), fc.constantFrom('0', 'g', ' ', '\n', 'é', 'ａ', '\0'))
    .map(([text, more]) => text + more),
  fc.oneof(evm, long, workchain).map((text) => text.slice(0, -1)),
  fc.oneof(evm, long, workchain).map((text) => `${text.slice(0, -1)}F`),
  fc
    .tuple(evm, fc.integer({ min: 2, max: 41 }), fc.constantFrom('g', '-', 'A', '\0', '\u{1f98a}', '0x'))
    .map(([text, at, wrong]) => text.slice(0, at) + wrong + text.slice(at + 1)),
  evm.map((text) => text.toUpperCase()),
  evm.map((text) => text.slice(2)),
  evm.map((text) => ` ${text}`),
  fc
    .tuple(
      fc.constantFrom('', '00', '+0', '-0', ' 0', '0x0', '0.0', '1e0', '-1.0', '4294967295', 'NaN'),
      fc.constant('0'.repeat(64)),
    )
    .map(([chain, text]) => `${chain}:${text}`),
);
const base58 = fc.string({
  unit: fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
  minLength: 32,
  maxLength: 44,
});
const bech32 = fc.string({ unit: fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l') }).map((text) => `bc1${text}`);
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
/**
 * Texts that would collide if their packed form lacked the encoding or the length: some end with NULs, which equal
 * padding, and others are packed into the same 32-bit word in different encodings.
 */
const trailing = fc.constantFrom(
  'a',
  'a\0',
  'a\0\0',
  'a\0\0\0',
  'é',
  'é\0',
  '\0',
  '\0\0',
  'aaaa',
  '\u6161\u6161',
  '0x61616161',
);
const text = fc.oneof(
  nearHex,
  base58,
  bech32,
  trailing,
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: codeUnit, maxLength: maxAddressLength }),
  fc.constantFrom('', '0', '0x', 'x', ':', '0:', '1'.repeat(maxAddressLength), 'é'.repeat(maxAddressLength)),
);

type Model = Map<string, Set<number>>;
const ascending = (values: Iterable<number>) => [...values].sort((a, b) => a - b);
const agree = (map: ReturnType<typeof createAddressMap>, model: Model, texts: Iterable<string>) => {
  for (const text of texts) {
    const expected = ascending(model.get(text) ?? []);
    assert.deepEqual(ascending(map.values(text)), expected, text);
    assert.equal(map.has(text), expected.length > 0, text);
  }
};

const small = fc.nat(5);
const act = fc.record({
  what: fc.constantFrom('add', 'add', 'remove'),
  at: fc.nat(30),
  value: fc.oneof(small, fc.nat(2 ** 31 - 1)),
});

describe('the address map', () => {
  it('behaves like a map of sets under any additions and removals', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.uniqueArray(fc.oneof({ arbitrary: address, weight: 4 }, { arbitrary: text, weight: 4 }), {
          minLength: 1,
          maxLength: 30,
        }),
        fc.array(act, { maxLength: 200, size: 'max' }),
        (seed, texts, acts) => {
          const map = createAddressMap(seed);
          const model: Model = new Map(texts.map((one) => [one, new Set()]));
          for (const { what, at, value } of acts) {
            const text = texts[at % texts.length] as string;
            map[what](text, value);
            model.get(text)?.[what === 'remove' ? 'delete' : 'add'](value);
            agree(map, model, [text]);
          }
          agree(map, model, texts);
        },
      ),
      { numRuns: 300 },
    ));

  it('distinguishes every address from every other, in all forms', () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(address, text), { minLength: 2, maxLength: 60 }), (texts) => {
        const map = createAddressMap(7);
        for (const [i, one] of texts.entries()) map.add(one, i);
        for (const [i, one] of texts.entries()) assert.deepEqual(map.values(one), [i], one);
      }),
      { numRuns: 1000 },
    ));

  it('rejects an address that is too long to be stored, and never reports one as held', () => {
    const map = createAddressMap(7);
    for (const letter of ['1', 'é', '\u{1f98a}']) {
      const longest = letter.repeat(maxAddressLength / letter.length);
      map.add(longest, 1);
      assert.deepEqual(map.values(longest), [1]);
      assert.throws(() => map.add(`${longest}1`, 1), /at most 200 characters, got 201/);
      map.remove(`${longest}1`, 1);
      assert.deepEqual([map.has(`${longest}1`), map.values(`${longest}1`)], [false, []]);
    }
  });

  /** Returns the n-th address, cycling through the forms, with random-looking first digits as in real addresses. */
  const nth = (i: number) => {
    const [random, counted] = [((i * 0x9e3779b1) % 2 ** 32).toString(16), i.toString(16)];
    const short = random.padStart(8, '0') + counted.padStart(32, '0');
    const whole = short + '0'.repeat(24);
    const text = `${random}${counted}`.padEnd(44, 'z');
    return [`0x${short}`, `0x${whole}`, `0:${whole}`, `-1:${whole}`, text][i % 5] as string;
  };

  it('grows to a hundred thousand addresses, removes half of them and adds them again', () => {
    const count = 100_000;
    const map = createAddressMap(0xffffffff);
    const all = Array.from({ length: count }, (_, i) => nth(i));
    assert.equal(new Set(all).size, count);
    const expect = (valuesOf: (i: number) => number[]) => {
      for (const [i, text] of all.entries()) {
        const found = map.values(text);
        const expected = valuesOf(i);
        if (found.length !== expected.length || expected.some((value) => !found.includes(value)))
          assert.deepEqual(found, expected, text);
        if (map.has(text) !== expected.length > 0) assert.fail(text);
      }
    };
    for (const [i, text] of all.entries()) map.add(text, i);
    expect((i) => [i]);
    for (const [i, text] of all.entries()) if (i % 2) map.remove(text, i);
    expect((i) => (i % 2 ? [] : [i]));
    for (const [i, text] of all.entries()) map.add(text, i + 1);
    expect((i) => (i % 2 ? [i + 1] : [i, i + 1]));
    assert.equal(map.has(nth(count)), false);
  });

  it('keeps thousands of holders of one address', () => {
    const map = createAddressMap(1);
    const values = Array.from({ length: 3000 }, (_, i) => i);
    for (const value of values) map.add(nth(0), value);
    for (const value of values) map.add(nth(0), value);
    assert.deepEqual(ascending(map.values(nth(0))), values);
    for (const value of values) if (value % 3) map.remove(nth(0), value);
    assert.deepEqual(
      ascending(map.values(nth(0))),
      values.filter((value) => value % 3 === 0),
    );
  });
});
