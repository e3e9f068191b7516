import { isRecord } from '../../domain/rpc-value.js';

/** Which field of the answer must repeat which part of the question. */
const repeated: Readonly<Record<string, { readonly field: string; readonly place: number }>> = {
  eth_getBlockByHash: { field: 'hash', place: 0 },
  eth_getBlockByNumber: { field: 'number', place: 0 },
  eth_getTransactionByHash: { field: 'hash', place: 0 },
  eth_getTransactionReceipt: { field: 'transactionHash', place: 0 },
};

/** A long result is in pieces, and joined when it is looked at; so that is done only where it must be. */
type Answer = { readonly result: Uint8Array; readonly pieces?: readonly Uint8Array[] };
const wholeOf = ({ result }: Answer) => result as Buffer;

const nothing = Buffer.from('null');
export const isNull = (answer: Answer): boolean => answer.pieces === undefined && wholeOf(answer).equals(nothing);

/** These may be what a node says that does not know better yet. */
const empty = ['null', '[]', '{}', '"0x"', '"0x0"', 'false'];
const longestEmpty = 6;
export const isEmptyish = (result: Buffer): boolean =>
  result.length <= longestEmpty && empty.includes(result.toString('latin1'));

const readField = (result: Buffer, field: string): unknown => {
  const parsed: unknown = JSON.parse(result.toString());
  return isRecord(parsed) ? parsed[field] : undefined;
};

/** Whether an answer is about what was asked. The bytes are looked through; only where that does not tell are they read. */
export const fits = (method: string, params: readonly unknown[], answer: Answer): boolean => {
  const rule = repeated[method];
  const asked = rule && params[rule.place];
  if (!rule || typeof asked !== 'string' || !asked.startsWith('0x') || isNull(answer)) return true;
  const result = wholeOf(answer);
  if (result.includes(`"${rule.field}":"${asked}"`)) return true;
  try {
    return String(readField(result, rule.field)).toLowerCase() === asked.toLowerCase();
  } catch {
    return false;
  }
};

const longestHeight = 24;

/** The number in a field of the answer that holds a quantity; null when there is none. */
export const heightIn = (result: Buffer, field: string): number | null => {
  const key = `"${field}":"`;
  const at = result.indexOf(key);
  if (at >= 0) {
    const text = result.toString('latin1', at + key.length, at + key.length + longestHeight);
    const end = text.indexOf('"');
    return end > 0 && text.startsWith('0x') ? Number(text.slice(0, end)) : null;
  }
  try {
    const value = readField(result, field);
    return typeof value === 'string' ? Number(value) : null;
  } catch {
    return null;
  }
};

/** The head that an answer tells of; null when it tells of none. */
export const headIn = (method: string, params: readonly unknown[], answer: Answer): number | null => {
  if (method === 'eth_blockNumber') {
    const result = wholeOf(answer);
    const height = Number(result.toString('latin1', 1, Math.min(result.length - 1, longestHeight)));
    return Number.isSafeInteger(height) ? height : null;
  }
  if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return null;
  return heightIn(wholeOf(answer), 'number');
};
