import assert from 'node:assert/strict';
import { Address } from '@ton/core';
import type { Family } from '../../../domain/variant.js';
import { addressCodecs } from '../../../infrastructure/chains/address-codecs.js';
import { friendlyByTep2, tep2Examples } from '../../vectors/ton-addresses.js';

describe('a text that is not an address', () => {
  const hash = 'ab'.repeat(32);
  const inWorkchain = (id: number) => new Address(id, Buffer.from(hash, 'hex')).toString();
  const mistyped = (text: string, place: number) =>
    `${text.slice(0, place)}${text[place] === 'A' ? 'B' : 'A'}${text.slice(place + 1)}`;
  const withTag = (tag: number) => {
    const bytes = Buffer.from(
      friendlyByTep2(tep2Examples.raw, { bounceable: true, testOnly: false, urlSafe: false }),
      'base64',
    );
    bytes[0] = tag;
    const sum = bytes.subarray(0, 34).reduce((crc, byte) => {
      let next = crc ^ (byte << 8);
      for (let bit = 0; bit < 8; bit++) next = next & 0x8000 ? ((next << 1) ^ 0x1021) & 0xffff : (next << 1) & 0xffff;
      return next;
    }, 0);
    bytes.writeUInt16BE(sum, 34);
    return bytes.toString('base64');
  };
  const checksum =
    'does not match its EIP-55 checksum: a digit is mistyped or a letter has the wrong case. An address in lower case has no checksum';

  const texts: readonly { family: Family; text: string; says: string }[] = [
    { family: 'evm', text: 'a'.repeat(40), says: 'must begin with 0x' },
    { family: 'evm', text: `0X${'a'.repeat(40)}`, says: 'must begin with 0x' },
    { family: 'evm', text: `0x${'a'.repeat(39)}`, says: 'must have 40 hex digits after 0x, has 39' },
    { family: 'evm', text: `0x${hash}`, says: 'must have 40 hex digits after 0x, has 64' },
    {
      family: 'evm',
      text: `0x${'a'.repeat(39)}g`,
      says: 'must have only hex digits after 0x; character 42 is not one',
    },
    { family: 'evm', text: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed', says: checksum },
    { family: 'evm', text: `0x${'A'.repeat(40)}`, says: checksum },
    { family: 'sui', text: `0x${'a'.repeat(63)}`, says: 'must have 64 or 40 hex digits after 0x, has 63' },
    { family: 'sui', text: `0x${'A'.repeat(40)}`, says: 'must be in lower case when it has 40 hex digits' },
    { family: 'ton', text: `1:${hash}`, says: 'must be in workchain 0 or -1, such as 0:…' },
    { family: 'ton', text: `0:${hash.slice(1)}`, says: 'must have 64 hex digits after the colon, has 63' },
    {
      family: 'ton',
      text: `-1:${hash.slice(1)}x`,
      says: 'must have only hex digits after the colon; character 67 is not one',
    },
    { family: 'ton', text: `0x${'A'.repeat(40)}`, says: 'must be in lower case when it has 40 hex digits' },
    { family: 'ton', text: `0x${'a'.repeat(41)}`, says: 'must have 40 hex digits after 0x, has 41' },
    {
      family: 'ton',
      text: tep2Examples.bounceable.slice(1),
      says: 'must be workchain:hash, or have 48 characters, has 47',
    },
    {
      family: 'ton',
      text: `${tep2Examples.bounceable.slice(0, -1)}=`,
      says: 'must be workchain:hash, or 48 characters of base64; character 48 is not base64',
    },
    {
      family: 'ton',
      text: mistyped(tep2Examples.bounceable, 20),
      says: 'does not match its checksum: a character is mistyped',
    },
    { family: 'ton', text: inWorkchain(5), says: 'must be in workchain 0 or -1, is in 5' },
    {
      family: 'ton',
      text: withTag(0x22),
      says: 'must begin with the tag of a bounceable or non-bounceable address, such as E, U, k or 0',
    },
  ];
  for (const { family, text, says } of texts)
    it(`of ${family}, ${text}, is rejected because it ${says}`, () => {
      assert.equal(addressCodecs[family].parse(text), null);
      assert.equal(addressCodecs[family].fault(text), says);
    });
});
