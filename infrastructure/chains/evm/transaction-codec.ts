import { SigningKey } from 'ethers/crypto';
import { computeAddress, Transaction } from 'ethers/transaction';
import type { TokenTransfer, TransactionCodec } from '../../../application/ports/codec.js';
import type { Unsigned } from '../../../domain/aggregates/transaction/transaction-data.js';
import { type TokenStandard, tokenStandards } from '../../../domain/asset.js';
import { addressWord, numberWord } from './abi.js';

const hexPattern = /^0x(?:[0-9a-fA-F]{2})+$/;
const wordBytes = 32;
/** Order of secp256k1. Of the two valid `s` values of a signature, only the lower one is accepted (EIP-2). */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const topBit = 1n << 255n;
/** Maximum length of a signature in bytes. `v` takes more than one byte from chain id 110 on. */
const maxSignatureBytes = 2 * wordBytes + 8;

type Parts = { readonly r: bigint; readonly s: bigint; readonly parity: 0 | 1 };

/** Returns the parity encoded in `v`; null if `v` is invalid or belongs to another chain. */
const parityOf = (v: bigint, chainId: number): 0 | 1 | null => {
  const first = 35n + 2n * BigInt(chainId);
  for (const base of [0n, 27n, first]) {
    if (v === base) return 0;
    if (v === base + 1n) return 1;
  }
  return null;
};

/** Splits a signature of the form r‖s‖v, or r‖s with the parity in the top bit of s (EIP-2098). */
const partsOf = (signature: string, chainId: number): Parts | null => {
  const bytes = hexPattern.test(signature) ? Buffer.from(signature.slice(2), 'hex') : Buffer.alloc(0);
  if (bytes.length < 2 * wordBytes || bytes.length > maxSignatureBytes) return null;
  const number = (from: number, to?: number) => BigInt(`0x${bytes.subarray(from, to).toString('hex')}`);
  const [r, second] = [number(0, wordBytes), number(wordBytes, 2 * wordBytes)];
  if (bytes.length === 2 * wordBytes) return { r, s: second % topBit, parity: second >= topBit ? 1 : 0 };
  const parity = parityOf(number(2 * wordBytes), chainId);
  return parity === null ? null : { r, s: second, parity };
};

const isCanonical = ({ r, s }: Parts) => r > 0n && r < order && s > 0n && s <= order / 2n;
const inWord = (value: bigint) => `0x${numberWord(value)}`;

/**
 * Returns the transaction type and its prices: type 2 (EIP-1559) if there is a priority fee, type 1 (EIP-2930) if there
 * is only an access list, and the legacy type 0 (EIP-155) if there is neither.
 */
const priced = ({ gasPrice, maxPriorityFeePerGas, accessList }: Unsigned) =>
  maxPriorityFeePerGas === undefined
    ? { type: accessList ? 1 : 0, gasPrice: BigInt(gasPrice) }
    : { type: 2, maxFeePerGas: BigInt(gasPrice), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };

const transactionOf = (unsigned: Unsigned) => {
  const { chainId, nonce, to, value, gas, data, accessList } = unsigned;
  return Transaction.from({
    ...priced(unsigned),
    ...(accessList && {
      accessList: accessList.map(({ address, storageKeys }) => ({ address, storageKeys: [...storageKeys] })),
    }),
    chainId,
    nonce,
    to,
    value: BigInt(value),
    gasLimit: BigInt(gas),
    data,
  });
};

const recovered = (digest: string, signature: { r: string; s: string; v: 27 | 28 }) => {
  try {
    return computeAddress(SigningKey.recoverPublicKey(digest, signature)).toLowerCase();
  } catch {
    return null;
  }
};

const assemble: TransactionCodec['assemble'] = (unsigned, from, text) => {
  const parts = partsOf(text, unsigned.chainId);
  if (!parts || !isCanonical(parts)) return null;
  const signature = { r: inWord(parts.r), s: inWord(parts.s), v: parts.parity === 0 ? 27 : 28 } as const;
  const transaction = transactionOf(unsigned);
  if (recovered(transaction.unsignedHash, signature) !== from) return null;
  transaction.signature = signature;
  return { raw: transaction.serialized, hash: transaction.hash as string };
};

const word = (decimal: string) => numberWord(BigInt(decimal));
const emptyBytes = `${numberWord(160n)}${numberWord(0n)}`;
const tokenCalls: Readonly<Record<TokenStandard, (transfer: TokenTransfer) => string>> = {
  erc20: ({ to, value }) => `0xa9059cbb${addressWord(to)}${word(value)}`,
  erc721: ({ from, to, tokenId }) => `0x42842e0e${addressWord(from)}${addressWord(to)}${word(tokenId)}`,
  erc1155: ({ from, to, tokenId, value }) =>
    `0xf242432a${addressWord(from)}${addressWord(to)}${word(tokenId)}${word(value)}${emptyBytes}`,
};

/** Index of the 32-byte word of each argument in the call data after the selector, by standard. */
const argumentPlaces: Readonly<Record<TokenStandard, { to: number; tokenId?: number; value?: number }>> = {
  erc20: { to: 0, value: 1 },
  erc721: { to: 1, tokenId: 2 },
  erc1155: { to: 1, tokenId: 2, value: 3 },
};
const selectorLength = 10;
const hexWord = 2 * wordBytes;

/**
 * Decodes the call data of a token transfer; null unless this codec would encode the transfer as exactly the same data.
 */
const readTokenCall: TransactionCodec['readTokenCall'] = (data) => {
  const wordAt = (i: number) =>
    data.slice(selectorLength + i * hexWord, selectorLength + (i + 1) * hexWord).padStart(1, '0');
  const numberAt = (i: number | undefined, otherwise: string) =>
    i === undefined ? otherwise : BigInt(`0x${wordAt(i)}`).toString();
  for (const standard of tokenStandards) {
    const { to, tokenId, value } = argumentPlaces[standard];
    const read = {
      standard,
      to: `0x${wordAt(to).slice(-40)}`,
      tokenId: numberAt(tokenId, '0'),
      value: numberAt(value, '1'),
    };
    const from = `0x${wordAt(0).slice(-40)}`;
    if (tokenCalls[standard]({ ...read, from }) === data) return read;
  }
  return null;
};

export const evmTransactions: TransactionCodec = {
  digest: (unsigned) => transactionOf(unsigned).unsignedHash,
  unsigned: (unsigned) => transactionOf(unsigned).unsignedSerialized,
  assemble,
  tokenCall: (transfer) => tokenCalls[transfer.standard](transfer),
  readTokenCall,
};
