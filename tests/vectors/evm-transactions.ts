import { type Hex, keccak256, serializeTransaction } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import type { Unsigned } from '../../domain/aggregates/transaction/transaction-data.js';

/** Transaction after signing, with all values that libraries must agree on. */
export type Signed = {
  readonly digest: string;
  readonly from: string;
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly v: bigint };
  readonly raw: string;
  readonly hash: string;
};

const someKey: Hex = `0x${'46'.repeat(32)}`;

/** Worked example in the text of EIP-155, which states the signed bytes but not their hash. */
export const eip155Example = {
  unsigned: {
    chainId: 1,
    nonce: 9,
    to: `0x${'35'.repeat(20)}`,
    value: '1000000000000000000',
    gas: '21000',
    gasPrice: '20000000000',
    data: '0x',
  },
  key: someKey,
  digest: '0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53',
  r: 18515461264373351373200002665853028612451056578545711640558177340181847433846n,
  s: 46948507304638947509940763649030358759909902576025900602547168820602576006531n,
  v: 37n,
  raw: '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
} as const;

const legacy = ({ chainId, nonce, to, value, gas, gasPrice, data }: Unsigned) =>
  ({
    type: 'legacy',
    chainId,
    nonce,
    to: to as Hex,
    value: BigInt(value),
    gas: BigInt(gas),
    gasPrice: BigInt(gasPrice),
    data: data as Hex,
  }) as const;

/** Signs with viem, which encodes transactions independently of the code under test. */
export const signedByViem = async (unsigned: Unsigned, key: Hex): Promise<Signed> => {
  const transaction = legacy(unsigned);
  const digest = keccak256(serializeTransaction(transaction));
  const { r, s, yParity } = await sign({ hash: digest, privateKey: key });
  const signature = { r, s, v: BigInt(35 + 2 * unsigned.chainId + (yParity ?? 0)) };
  const raw = serializeTransaction(transaction, signature);
  const from = privateKeyToAccount(key).address.toLowerCase();
  return { digest, from, signature, raw, hash: keccak256(raw) };
};

const eip155Unsigned: Unsigned = eip155Example.unsigned;
const bytes = (count: number): string => `0x${'a5'.repeat(count)}`;

/** Transactions on both sides of every length at which the encoding changes, and at the limits of the fields. */
export const transactionsOfNote: Readonly<Record<string, Unsigned>> = {
  'a plain payment': eip155Unsigned,
  'a transaction with only zeros': { ...eip155Unsigned, nonce: 0, value: '0', gas: '0', gasPrice: '0' },
  'the first nonce': { ...eip155Unsigned, nonce: 0 },
  'the largest nonce of one byte without a length': { ...eip155Unsigned, nonce: 0x7f },
  'the smallest nonce with a length': { ...eip155Unsigned, nonce: 0x80 },
  'the largest nonce of one byte': { ...eip155Unsigned, nonce: 0xff },
  'the smallest nonce of two bytes': { ...eip155Unsigned, nonce: 0x100 },
  'a nonce of five bytes': { ...eip155Unsigned, nonce: 2 ** 32 },
  'the largest nonce that is a safe integer': { ...eip155Unsigned, nonce: Number.MAX_SAFE_INTEGER },
  'one wei': { ...eip155Unsigned, value: '1' },
  'all the wei that a word holds': { ...eip155Unsigned, value: String(2n ** 256n - 1n) },
  'a value whose last byte is zero': { ...eip155Unsigned, value: String(2n ** 200n) },
  'the largest limit of gas': { ...eip155Unsigned, gas: String(2n ** 64n - 1n) },
  'a gas price of one': { ...eip155Unsigned, gasPrice: '1' },
  'a gas price of sixteen bytes': { ...eip155Unsigned, gasPrice: String(2n ** 128n - 1n) },
  'one byte of data that is zero': { ...eip155Unsigned, data: '0x00' },
  'the largest byte of data without a length': { ...eip155Unsigned, data: '0x7f' },
  'the smallest byte of data with a length': { ...eip155Unsigned, data: '0x80' },
  'data of 55 bytes, the last short string': { ...eip155Unsigned, data: bytes(55) },
  'data of 56 bytes, the first long string': { ...eip155Unsigned, data: bytes(56) },
  'data of 255 bytes': { ...eip155Unsigned, data: bytes(255) },
  'data of 256 bytes, whose length takes two': { ...eip155Unsigned, data: bytes(256) },
  'data of 70000 bytes, whose length takes three': { ...eip155Unsigned, data: bytes(70_000) },
  'the zero address': { ...eip155Unsigned, to: `0x${'00'.repeat(20)}` },
  'the last address': { ...eip155Unsigned, to: `0x${'ff'.repeat(20)}` },
  'the last chain whose v is one byte': { ...eip155Unsigned, chainId: 109 },
  'the first chain whose v may be two bytes': { ...eip155Unsigned, chainId: 110 },
  'the development chain': { ...eip155Unsigned, chainId: 31_337 },
  'a chain with an id of four bytes': { ...eip155Unsigned, chainId: 0x7fff_ffff },
};

const isShort = (part: Hex) => part.startsWith('0x00');

/**
 * Finds a signature whose r begins with a zero byte and one whose s does. The encoding leaves this byte out.
 */
export const shortSignatures = async () => {
  const found: { r?: Signed; s?: Signed } = {};
  for (let key = 1; !(found.r && found.s); key++) {
    const signed = await signedByViem(eip155Unsigned, `0x${key.toString(16).padStart(64, '0')}`);
    if (isShort(signed.signature.r)) found.r ??= signed;
    if (isShort(signed.signature.s)) found.s ??= signed;
  }
  return { unsigned: eip155Unsigned, r: found.r, s: found.s };
};
