import { didYouMean } from './nearest-name.js';

/**
 * Type guards for values of EVM JSON-RPC. Lengths are checked before regular expressions run, because the values may be
 * megabytes long.
 */

/** Limits quantities to 256 bits, because parsing a million digits takes half a second. */
const maxQuantityLength = 66;
const quantityPattern = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/;
const paddedQuantityPattern = /^0x[0-9a-fA-F]+$/;
const dataPattern = /^0x[0-9a-fA-F]*$/;
const addressLength = 42;
const hashLength = 66;

export const blockTags = ['earliest', 'latest', 'pending', 'safe', 'finalized'] as const;
export type BlockTag = (typeof blockTags)[number];

const isText = (value: unknown): value is string => typeof value === 'string';

export const isQuantity = (value: unknown): value is string =>
  isText(value) && value.length <= maxQuantityLength && quantityPattern.test(value);

/** Accepts a quantity with or without leading zeros, because some nodes answer with leading zeros. */
export const isPaddedQuantity = (value: unknown): value is string =>
  isText(value) && value.length <= maxQuantityLength && paddedQuantityPattern.test(value);

export const isData = (value: unknown): value is string =>
  isText(value) && value.length % 2 === 0 && dataPattern.test(value);

export const isAddress = (value: unknown): value is string =>
  isText(value) && value.length === addressLength && dataPattern.test(value);

export const isHash = (value: unknown): value is string =>
  isText(value) && value.length === hashLength && dataPattern.test(value);

export const isBlockTag = (value: unknown): value is BlockTag => blockTags.some((tag) => tag === value);

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Describes the first unknown member of an object; null if there is none. Unknown members are rejected, because nodes
 * differ in how they treat unknown members.
 */
export const unknownMember = (value: Readonly<Record<string, unknown>>, known: readonly string[]): string | null => {
  const name = Object.keys(value)
    .find((one) => !known.includes(one))
    ?.slice(0, 50);
  return name === undefined ? null : `has no member ${JSON.stringify(name)}${didYouMean(name, known)}`;
};

/** Accepts a block parameter in object form (EIP-1898), with either `blockHash` or `blockNumber`. */
export const isNamedBlock = (value: unknown): boolean => {
  if (!isRecord(value) || unknownMember(value, ['blockHash', 'blockNumber', 'requireCanonical']) !== null) return false;
  const { blockHash, blockNumber } = value;
  return blockHash === undefined ? isQuantity(blockNumber) : isHash(blockHash) && blockNumber === undefined;
};

/** Returns the pending transactions in a result of `txpool_content`, which groups transactions by sender and nonce. */
export const pendingInPool = (content: unknown): readonly Readonly<Record<string, unknown>>[] => {
  const queues = isRecord(content) && isRecord(content.pending) ? Object.values(content.pending) : [];
  return queues.flatMap((queue) => (isRecord(queue) ? Object.values(queue).filter(isRecord) : []));
};
