import assert from 'node:assert/strict';
import { Address } from '@ton/core';
import { keccak256, toUtf8Bytes } from 'ethers';
import fc from 'fast-check';
import { chainFamilies, type Family } from '../../../domain/variant.js';
import { addressCodecs } from '../../../infrastructure/chains/address-codecs.js';
import { everyForm, friendlyByTep2, noAddresses, rawAddresses, tep2Examples } from '../../vectors/ton-addresses.js';

const { evm, sui, ton } = addressCodecs;

const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });
const inUpperCase = (text: string) => text.replace(/[a-f]/g, (letter) => letter.toUpperCase());
const anyCase = (digits: number) =>
  fc
    .tuple(hex(digits), fc.array(fc.boolean(), { minLength: digits, maxLength: digits }))
    .map(([text, upper]) => [...text].map((c, i) => (upper[i] ? inUpperCase(c) : c)).join(''));

/** Strings of every kind, including lone surrogates. */
const anything = fc.oneof(
  ...(['grapheme', 'grapheme-composite', 'grapheme-ascii', 'binary', 'binary-ascii'] as const).map((unit) =>
    fc.string({ unit, maxLength: 80 }),
  ),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.base64String({ minLength: 48, maxLength: 48 }),
  fc
    .tuple(fc.constantFrom('0x', '0:', '-1:', '1:', ':'), fc.string({ maxLength: 70 }))
    .map(([head, tail]) => head + tail),
);

describe('a TON address in the forms of TEP-2', () => {
  it('is encoded by this spec as in the examples of TEP-2', () => {
    const { raw, bounceable, nonBounceable } = tep2Examples;
    const forms = { testOnly: false, urlSafe: true };
    assert.equal(friendlyByTep2(raw, { ...forms, bounceable: true }), bounceable);
    assert.equal(friendlyByTep2(raw, { ...forms, bounceable: false }), nonBounceable);
  });
  for (const raw of [tep2Examples.raw, ...rawAddresses]) {
    for (const form of everyForm) {
      const text = friendlyByTep2(raw, form);
      const flags = Object.entries(form).filter(([, isSet]) => isSet);
      it(`is read from ${text} (${flags.map(([flag]) => flag).join(', ') || 'no flag'})`, () =>
        assert.equal(ton.parse(text), raw));
    }
    it(`is read from ${raw} and shown in its friendly form`, () => {
      assert.equal(ton.parse(raw), raw);
      assert.equal(ton.parse(raw.toUpperCase()), raw);
      assert.equal(ton.friendly(raw), friendlyByTep2(raw, { bounceable: false, testOnly: false, urlSafe: true }));
    });
  }
  for (const [fault, text] of Object.entries(noAddresses))
    it(`is not read from ${JSON.stringify(text)} (${fault})`, () => assert.equal(ton.parse(text), null));
});

describe('a TON address', () => {
  const workchain = fc.constantFrom(0, -1);
  const raws = fc.tuple(workchain, hex(64)).map(([id, hash]) => `${id}:${hash}`);
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/'];
  const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');

  it('is read back from its friendly form', () =>
    fc.assert(
      fc.property(raws, (raw) => {
        const friendly = ton.friendly(raw);
        assert.match(friendly, raw.startsWith('0') ? /^UQ[A-Za-z0-9_-]{46}$/ : /^Uf[A-Za-z0-9_-]{46}$/);
        assert.equal(ton.parse(friendly), raw);
      }),
    ));

  it('is read from every friendly form', () =>
    fc.assert(
      fc.property(raws, fc.boolean(), fc.boolean(), fc.boolean(), (raw, bounceable, testOnly, safe) => {
        const text = Address.parseRaw(raw).toString({ bounceable, testOnly, urlSafe: safe });
        assert.equal(ton.parse(text), raw);
      }),
    ));

  it('is read from its raw form in any case', () =>
    fc.assert(
      fc.property(workchain, anyCase(64), (id, hash) =>
        assert.equal(ton.parse(`${id}:${hash}`), `${id}:${hash.toLowerCase()}`),
      ),
    ));

  it('is rejected when any one character of its friendly form is changed', () =>
    fc.assert(
      fc.property(raws, fc.nat(47), (raw, at) => {
        const friendly = ton.friendly(raw);
        for (const character of alphabet) {
          const flipped = friendly.slice(0, at) + character + friendly.slice(at + 1);
          assert.equal(ton.parse(flipped), urlSafe(flipped) === friendly ? raw : null, flipped);
        }
      }),
    ));

  it('is rejected in workchains other than the base chain and the masterchain', () =>
    fc.assert(
      fc.property(hex(64), (hash) => {
        for (let id = -128; id <= 127; id++) {
          if (id === 0 || id === -1) continue;
          assert.equal(ton.parse(`${id}:${hash}`), null);
          assert.equal(ton.parse(new Address(id, Buffer.from(hash, 'hex')).toString()), null);
        }
      }),
      { numRuns: 10 },
    ));

  const hash = 'ab'.repeat(32);
  const misspelt = ['00', '-0', '+0', '-01', '1', '', ' 0', '0x0', '4294967295'];
  for (const id of misspelt)
    it(`is rejected with the workchain ${JSON.stringify(id)}`, () => assert.equal(ton.parse(`${id}:${hash}`), null));
});

describe('an EVM address', () => {
  /** Applies the EIP-55 checksum: a letter is upper case where the hash of the lower-case address has 8 or more. */
  const checksummed = (lower: string) => {
    const digest = keccak256(toUtf8Bytes(lower)).slice(2);
    return `0x${[...lower].map((c, i) => (Number.parseInt(digest[i] ?? '', 16) >= 8 ? c.toUpperCase() : c)).join('')}`;
  };
  const published = [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ];
  for (const text of published)
    it(`is read from the checksummed ${text} of EIP-55`, () => assert.equal(evm.parse(text), text.toLowerCase()));

  it('is accepted in lower case without a checksum', () =>
    fc.assert(fc.property(hex(40), (text) => assert.equal(evm.parse(`0x${text}`), `0x${text}`))));

  it('is accepted with its checksum and stored in lower case', () =>
    fc.assert(fc.property(hex(40), (text) => assert.equal(evm.parse(checksummed(text)), `0x${text}`))));

  it('is rejected in every other mix of cases', () =>
    fc.assert(
      fc.property(anyCase(40), (text) => {
        const lower = text.toLowerCase();
        const right = text === lower || `0x${text}` === checksummed(lower);
        assert.equal(evm.parse(`0x${text}`), right ? `0x${lower}` : null);
      }),
    ));

  it('is rejected with any one letter of the checksum in the other case', () => {
    const text = '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    for (const [i, c] of [...text].entries()) {
      const other = c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase();
      const flipped = `0x${text.slice(0, i)}${other}${text.slice(i + 1)}`;
      assert.equal(evm.parse(flipped), other === c ? `0x${text.toLowerCase()}` : null, flipped);
    }
  });

  it('is rejected in upper case, unless that is its checksum', () =>
    fc.assert(
      fc.property(hex(40), (text) => {
        const upper = `0x${inUpperCase(text)}`;
        assert.equal(evm.parse(upper), upper === checksummed(text) || upper === `0x${text}` ? `0x${text}` : null);
      }),
    ));
});

describe('a Sui address', () => {
  it('is read in any case and stored in lower case', () =>
    fc.assert(fc.property(anyCase(64), (text) => assert.equal(sui.parse(`0x${text}`), `0x${text.toLowerCase()}`))));
  it('has no friendly form', () =>
    fc.assert(fc.property(hex(64), (text) => assert.equal(sui.friendly(`0x${text}`), ''))));
});

describe('an EVM address on another chain', () => {
  for (const [chain, codec] of Object.entries({ ton, sui })) {
    it(`is stored on ${chain} unchanged and has no friendly form`, () =>
      fc.assert(
        fc.property(hex(40), (text) => {
          assert.equal(codec.parse(`0x${text}`), `0x${text}`);
          assert.equal(codec.friendly(`0x${text}`), '');
        }),
      ));
    it(`is rejected on ${chain} with a letter in upper case`, () =>
      fc.assert(
        fc.property(anyCase(40), (text) => {
          fc.pre(/[A-F]/.test(text));
          assert.equal(codec.parse(`0x${text}`), null);
        }),
      ));
  }
});

describe('the address codec', () => {
  const examples: Readonly<Record<Family, readonly string[]>> = {
    evm: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', `0x${'3'.repeat(40)}`],
    sui: [`0x${'ab'.repeat(32)}`, `0x${'3'.repeat(40)}`],
    ton: [`0:${'ab'.repeat(32)}`, `-1:${'3'.repeat(64)}`, ton.friendly(`0:${'ab'.repeat(32)}`), `0x${'3'.repeat(40)}`],
  };
  /** Lengths of an address after `0x`, in digits. */
  const hexDigits: Readonly<Record<Family, readonly number[]>> = { evm: [40], sui: [40, 64], ton: [40] };
  const spoilt: Record<string, (text: string) => string> = {
    'a space before': (text) => ` ${text}`,
    'a space after': (text) => `${text} `,
    'a line end after': (text) => `${text}\n`,
    'a tab after': (text) => `${text}\t`,
    'a NUL after': (text) => `${text}\0`,
    'a NUL inside': (text) => `${text.slice(0, 9)}\0${text.slice(10)}`,
    'one character more': (text) => `${text}0`,
    'one character less': (text) => text.slice(0, -1),
    'a large X': (text) => (text.startsWith('0x') ? text.replace('x', 'X') : `0X${text}`),
    'wide digits': (text) => text.replace(/[0-9]/, '０'),
    'a copy of itself after it': (text) => text + text,
  };
  for (const family of chainFamilies) {
    const codec = addressCodecs[family];
    const texts = examples[family];
    it(`of ${family} accepts its examples`, () => {
      for (const text of texts) assert.notEqual(codec.parse(text), null, text);
    });
    for (const [fault, spoil] of Object.entries(spoilt))
      it(`of ${family} rejects an address with ${fault}`, () => {
        for (const text of texts) assert.equal(codec.parse(spoil(text)), null, JSON.stringify(spoil(text)));
      });
    for (const empty of ['', ' ', '\0', '0x', '0:', ':'])
      it(`of ${family} rejects ${JSON.stringify(empty)}`, () => assert.equal(codec.parse(empty), null));
    it(`of ${family} accepts only hex digits, in exactly the length of an address`, () => {
      for (let digits = 0; digits <= 130; digits++) {
        assert.equal(
          codec.parse(`0x${'a'.repeat(digits)}`) !== null,
          hexDigits[family].includes(digits),
          `${digits} digits`,
        );
        assert.equal(codec.parse(`0x${'g'.repeat(digits)}`), null);
      }
    });
    it(`of ${family} reads its stored form as the same address`, () =>
      fc.assert(
        fc.property(
          fc.oneof(
            anything,
            anyCase(40).map((text) => `0x${text}`),
            anyCase(64).map((text) => `0x${text}`),
          ),
          (text) => {
            const stored = codec.parse(text);
            assert.equal(stored && codec.parse(stored), stored);
          },
        ),
      ));
    it(`of ${family} names the rule that each rejected text violates`, () => {
      for (const text of texts)
        for (const spoil of Object.values(spoilt))
          assert.match(codec.fault(spoil(text)), /^(must|breaks) /, spoil(text));
    });
    it(`of ${family} never throws`, () =>
      fc.assert(
        fc.property(anything, (text) => {
          codec.parse(text);
          assert.equal(typeof codec.fault(text), 'string');
          assert.equal(typeof codec.friendly(text), 'string');
        }),
        { numRuns: 1000 },
      ));
  }
});
