import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { matches, readFilter } from '../../../domain/log-filter.js';
import { isHash, isQuantity, isRecord } from '../../../domain/rpc-value.js';
import { announces, bloomIn } from '../../nodes/json-rpc/bloom.js';
import { createPace, type Pace } from '../../pace.js';

type Fields = Readonly<Record<string, unknown>>;
type Log = Fields & {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockNumber: string;
  readonly blockHash: string;
};

const isLog = (value: unknown): value is Log =>
  isRecord(value) &&
  [value.address, value.blockHash, value.blockNumber].every((field) => typeof field === 'string') &&
  Array.isArray(value.topics) &&
  value.topics.every((topic) => typeof topic === 'string');

/**
 * Returns whether a log may directly follow another. On some networks, log indexes have gaps, restart in each receipt
 * or are missing.
 */
const follows = (log: Fields, before: Fields): boolean => {
  for (const field of ['blockNumber', 'transactionIndex']) {
    const step = Number(log[field]) - Number(before[field]);
    if (step !== 0) return !(step < 0);
  }
  return !(Number(log.logIndex) <= Number(before.logIndex));
};
const areInOrder = (logs: readonly Fields[]) => logs.every((log, i) => i === 0 || follows(log, logs[i - 1] as Fields));

const areLogsOf = (value: unknown, [given]: readonly unknown[]): boolean => {
  const filter = readFilter(given);
  return Array.isArray(value) && value.every((log) => isLog(log) && matches(filter, log)) && areInOrder(value);
};

const isReceipt = (value: unknown): boolean => {
  if (!isRecord(value) || !Array.isArray(value.logs)) return false;
  const { logs, blockHash, transactionHash } = value;
  const isOwn = (log: unknown) => isLog(log) && log.blockHash === blockHash && log.transactionHash === transactionHash;
  return logs.every(isOwn) && areInOrder(logs);
};

const hashIn = (block: unknown) => (isRecord(block) ? block.blockHash : block);
const numberIn = (block: unknown) => (isRecord(block) ? block.blockNumber : block);

/**
 * Returns whether all receipts belong to the requested block and are in order. Gaps in the transaction indexes are
 * accepted, because some networks have them.
 */
const areReceiptsOf = (value: unknown, [block]: readonly unknown[]): boolean => {
  if (!Array.isArray(value) || !value.every(isReceipt)) return false;
  const [hash, number] = [hashIn(block), numberIn(block)];
  return (value as Fields[]).every(
    (receipt, i) =>
      receipt.blockHash === value[0].blockHash &&
      (!isHash(hash) || String(receipt.blockHash).toLowerCase() === hash.toLowerCase()) &&
      (isHash(number) || !isQuantity(number) || Number(receipt.blockNumber) === Number(number)) &&
      (i === 0 || Number(receipt.transactionIndex) >= Number(value[i - 1].transactionIndex)),
  );
};

/**
 * Functions that return whether an answer is consistent with itself and with the request, keyed by method.
 */
const checks: Readonly<Record<string, (value: unknown, params: readonly unknown[]) => boolean>> = {
  eth_getLogs: areLogsOf,
  eth_getTransactionReceipt: isReceipt,
  eth_getBlockReceipts: areReceiptsOf,
};

const parsed = (result: Uint8Array): unknown => JSON.parse(Buffer.from(result).toString());

/**
 * Size in bytes up to which an answer is always checked, because parsing so small an answer costs less than requesting
 * it.
 */
const maxCheckedBytes = 8192;

/**
 * Returns whether an answer contradicts itself or the request: its logs are out of order or do not match the filter, or
 * its receipts belong to several blocks. Skips answers above `maxCheckedBytes` unless `readsAll` is true.
 */
export const contradicts = ({ method, params }: RpcCall, answer: RpcAnswer, readsAll: boolean): boolean => {
  const test = checks[method];
  if (!test || !('result' in answer)) return false;
  if (!readsAll && (answer.pieces !== undefined || answer.result.length > maxCheckedBytes)) return false;
  try {
    const value = parsed(answer.result);
    return value !== null && !test(value, params);
  } catch {
    return true;
  }
};

const isUnannounced = async (receipt: unknown, pace: Pace): Promise<boolean> => {
  const bloom = isRecord(receipt) ? bloomIn(receipt.logsBloom) : null;
  const logs = isRecord(receipt) && Array.isArray(receipt.logs) ? receipt.logs.filter(isLog) : [];
  if (bloom === null) return false;
  for (const log of logs) if (!(await announces(bloom, log, pace))) return true;
  return false;
};

const bloomed: readonly string[] = ['eth_getTransactionReceipt', 'eth_getBlockReceipts'];

/**
 * Returns whether the answer has a receipt with a log that the receipt's own bloom filter excludes. A receipt of this
 * kind is wrong, because bloom filters have no false negatives.
 */
export const lacksLogs = async ({ method }: RpcCall, answer: RpcAnswer): Promise<boolean> => {
  if (!bloomed.includes(method) || 'error' in answer) return false;
  const pace = createPace();
  for (const receipt of [parsed(answer.result)].flat()) if (await isUnannounced(receipt, pace)) return true;
  return false;
};
