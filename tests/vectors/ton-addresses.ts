import { createHash } from 'node:crypto';

/**
 * User-friendly form of an address, as defined in TEP-2. Its checksum and base64 are computed here without a library.
 */
type Form = { readonly bounceable: boolean; readonly testOnly: boolean; readonly urlSafe: boolean };

/** Computes the CRC16-CCITT of TEP-2: polynomial x^16 + x^12 + x^5 + 1, initial value zero, highest bit first. */
const checksum = (bytes: readonly number[]) =>
  bytes
    .flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1))
    .reduce((sum, bit) => ((sum << 1) & 0xffff) ^ ((sum >> 15) ^ bit ? 0x1021 : 0), 0);

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const alphabets = { standard: `${letters}+/`, urlSafe: `${letters}-_` };
const inBase64 = (bytes: readonly number[], alphabet: string) => {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{6}/g) ?? []).map((six) => alphabet[Number.parseInt(six, 2)]).join('');
};

const bytesOf = (hex: string) => [...Buffer.from(hex, 'hex')];
const high = (sum: number) => [sum >> 8, sum & 0xff];

/** Writes the bytes of an address with any tag and workchain; `spoil` can falsify the checksum. */
const armored = (tag: number, workchain: number, hash: string, spoil = (sum: number) => sum) => {
  const bytes = [tag, workchain & 0xff, ...bytesOf(hash)];
  return [...bytes, ...high(spoil(checksum(bytes)))];
};

export const friendlyByTep2 = (raw: string, { bounceable, testOnly, urlSafe }: Form) => {
  const [workchain = '', hash = ''] = raw.split(':');
  const tag = (bounceable ? 0x11 : 0x51) + (testOnly ? 0x80 : 0);
  return inBase64(armored(tag, Number(workchain), hash), urlSafe ? alphabets.urlSafe : alphabets.standard);
};

const either = [true, false];
export const everyForm: readonly Form[] = either.flatMap((bounceable) =>
  either.flatMap((testOnly) => either.map((urlSafe) => ({ bounceable, testOnly, urlSafe }))),
);

/** Examples in the text of TEP-2: the root DNS contract, and a public key, which is as long as an address. */
export const tep2Examples = {
  raw: '-1:e56754f83426f69b09267bd876ac97c44821345b7e266bd956a7bfbfb98df35c',
  bounceable: 'Ef_lZ1T4NCb2mwkme9h2rJfESCE0W34ma9lWp7-_uY3zXDvq',
  nonBounceable: 'Uf_lZ1T4NCb2mwkme9h2rJfESCE0W34ma9lWp7-_uY3zXGYv',
  publicKey: 'Pubjns2gp7DGCnEH7EOWeCnb6Lw1akm538YYaz6sdLVHfRB2',
} as const;

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const hashes = ['00', 'ff', '33', '55']
  .map((byte) => byte.repeat(32))
  .concat(['anna', 'bert', 'carl', 'dora', 'emil'].map(digest));

export const rawAddresses: readonly string[] = ['0', '-1'].flatMap((workchain) =>
  hashes.map((hash) => `${workchain}:${hash}`),
);

const hash = digest('anna');
const written = (bytes: readonly number[]) => inBase64(bytes, alphabets.urlSafe);
const proper = friendlyByTep2(`0:${hash}`, { bounceable: true, testOnly: false, urlSafe: true });

/** Texts that are no addresses, each under the name of its fault. */
export const noAddresses: Readonly<Record<string, string>> = {
  'a checksum with one bit wrong': written(armored(0x11, 0, hash, (sum) => sum ^ 1)),
  'a checksum with its bytes the other way round': written(armored(0x11, 0, hash, (sum) => (sum << 8) | (sum >> 8))),
  'no checksum but zeros': written(armored(0x11, 0, hash, () => 0)),
  'the checksum of another workchain': written([
    ...armored(0x11, 0, hash).slice(0, -2),
    ...armored(0x11, -1, hash).slice(-2),
  ]),
  'one character less': proper.slice(0, -1),
  'one character more': `${proper}A`,
  'padding at its end': `${proper}=`,
  'the tag of nothing': written(armored(0x00, 0, hash)),
  'an unknown tag': written(armored(0x31, 0, hash)),
  'a tag with one bit too many': written(armored(0x71, 0, hash)),
  'the tag of an address on another network only': written(armored(0x80, 0, hash)),
  'workchain 1': written(armored(0x11, 1, hash)),
  'workchain -2': written(armored(0x11, -2, hash)),
  'workchain 127': written(armored(0x51, 127, hash)),
  'the armor of a public key': tep2Examples.publicKey,
  'three digits of hex': '0:abc',
  '63 digits of hex': `0:${hash.slice(1)}`,
  '65 digits of hex': `0:${hash}a`,
  'letters that are no hex': `0:${'g'.repeat(64)}`,
  'no workchain before the hex': hash,
  'two workchains': `0:0:${hash}`,
  'a workchain that is no number': `x:${hash}`,
  nothing: '',
};
