import { isRecord } from '../../domain/rpc-value.js';

/**
 * Field of the answer that must repeat a parameter of the request, keyed by method. `index` is the position of the
 * parameter.
 */
const repeated: Readonly<Record<string, { readonly field: string; readonly index: number }>> = {
  eth_getBlockByHash: { field: 'hash', index: 0 },
  eth_getBlockByNumber: { field: 'number', index: 0 },
  eth_getTransactionByHash: { field: 'hash', index: 0 },
  eth_getTransactionReceipt: { field: 'transactionHash', index: 0 },
};

/**
 * Answer of a node, possibly received in several pieces. Reading `result` joins the pieces, so the checks read `result`
 * only when necessary.
 */
type Answer = { readonly result: Uint8Array; readonly pieces?: readonly Uint8Array[] };
const wholeOf = ({ result }: Answer) => result as Buffer;

const nothing = Buffer.from('null');
export const isNull = (answer: Answer): boolean => answer.pieces === undefined && wholeOf(answer).equals(nothing);

/** Results that a node may return because it does not have the data yet. */
const empty = ['null', '[]', '{}', '"0x"', '"0x0"', 'false'];
const maxEmptyLength = 6;
export const isEmptyish = (result: Buffer): boolean =>
  result.length <= maxEmptyLength && empty.includes(result.toString('latin1'));
export const isEmpty = (answer: Answer): boolean => answer.pieces === undefined && isEmptyish(wholeOf(answer));

const readField = (result: Buffer, field: string): unknown => {
  const parsed: unknown = JSON.parse(result.toString());
  return isRecord(parsed) ? parsed[field] : undefined;
};

/**
 * Returns whether the answer is about the block or transaction that was requested. Parses the answer only if a search
 * of its bytes finds no match.
 */
export const matchesRequest = (method: string, params: readonly unknown[], answer: Answer): boolean => {
  const rule = repeated[method];
  const asked = rule && params[rule.index];
  if (!rule || typeof asked !== 'string' || !asked.startsWith('0x') || isNull(answer)) return true;
  const result = wholeOf(answer);
  if (result.includes(`"${rule.field}":"${asked}"`)) return true;
  try {
    return String(readField(result, rule.field)).toLowerCase() === asked.toLowerCase();
  } catch {
    return false;
  }
};

const maxHeightLength = 24;

const heightPattern = /^0x[\da-f]+$/i;
/** Reads a height; null for a malformed one. A NaN would compare as neither lower nor higher than an announced head. */
const readHeight = (text: string): number | null => {
  const height = heightPattern.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(height) ? height : null;
};

/** Reads a height from a field of the answer; null when the field is missing or contains no hex quantity. */
export const heightIn = (result: Buffer, field: string): number | null => {
  const key = `"${field}":"`;
  const at = result.indexOf(key);
  if (at >= 0) {
    const text = result.toString('latin1', at + key.length, at + key.length + maxHeightLength);
    const end = text.indexOf('"');
    return end > 0 ? readHeight(text.slice(0, end)) : null;
  }
  try {
    const value = readField(result, field);
    return typeof value === 'string' ? readHeight(value) : null;
  } catch {
    return null;
  }
};

const tags = ['latest', 'safe', 'finalized'] as const;
/** Tag of a block whose height changes as the chain grows, such as `latest`. */
export type BlockTag = (typeof tags)[number];

/** Returns the block tag if the answer to the call contains the height of the tagged block; null for any other call. */
export const tagIn = (method: string, params: readonly unknown[]): BlockTag | null => {
  if (method === 'eth_blockNumber') return 'latest';
  return (method === 'eth_getBlockByNumber' && tags.find((tag) => tag === params[0])) || null;
};

/** Reads the height of the tagged block from an answer; null when the answer has none. */
export const taggedHeightIn = (method: string, answer: Answer): number | null => {
  const result = wholeOf(answer);
  if (method !== 'eth_blockNumber') return heightIn(result, 'number');
  return readHeight(result.toString('latin1', 1, Math.min(result.length - 1, maxHeightLength)));
};

/** Reads the height of the head from an answer about the head; null for any other answer. */
export const headIn = (method: string, params: readonly unknown[], answer: Answer): number | null =>
  tagIn(method, params) === 'latest' ? taggedHeightIn(method, answer) : null;
