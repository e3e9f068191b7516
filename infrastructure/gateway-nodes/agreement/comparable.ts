import { createHash } from 'node:crypto';
import type { Cacheability } from '../../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { isRecord } from '../../../domain/rpc-value.js';
import { readError } from '../../nodes/json-rpc/rpc-fault.js';
import type { Agreement } from './agreed-answer.js';
import { lacksLogs } from './contradiction.js';

/** Node software writes the same value in several forms: with capitals, with leading zeros, as null or not at all. */
const data = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : null);
const quantity = (value: unknown) =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value).toString() : data(value);
const each = (form: (one: unknown) => unknown) => (value: unknown) => (Array.isArray(value) ? value.map(form) : null);

const fields =
  (forms: Readonly<Record<string, (value: unknown) => unknown>>) =>
  (value: unknown): unknown =>
    isRecord(value) ? Object.entries(forms).map(([name, form]) => form(value[name])) : null;

const position = { blockHash: data, blockNumber: quantity, transactionHash: data, transactionIndex: quantity };
const log = fields({ ...position, address: data, topics: each(data), data, logIndex: quantity });
/** Fields that every node software gives; the others depend on the software and its version. */
const receipt = fields({
  ...position,
  from: data,
  to: data,
  contractAddress: data,
  status: quantity,
  gasUsed: quantity,
  logs: each(log),
});

/** Methods on whose answers nodes can be asked to agree, with the form in which the answers are compared. */
const forms: Readonly<Record<string, (value: unknown) => unknown>> = {
  eth_getBalance: quantity,
  eth_getLogs: each(log),
  eth_getTransactionReceipt: receipt,
  eth_getBlockReceipts: each(receipt),
};

/** Parts of the chain that are the same on all nodes which have them; heads are not. */
const settled: readonly Cacheability['kind'][] = ['height', 'hash', 'transaction'];

export const isComparable = ({ method }: RpcCall, { kind }: Cacheability): boolean =>
  Object.hasOwn(forms, method) && settled.includes(kind);

/** Returns a text that is the same for answers that mean the same. */
const digestOf = ({ method }: RpcCall, answer: RpcAnswer): string => {
  if ('error' in answer) return `error ${String((readError(answer.error) as { code?: unknown } | null)?.code)}`;
  const value: unknown = JSON.parse(Buffer.from(answer.result).toString());
  return createHash('sha256')
    .update(JSON.stringify(forms[method]?.(value)))
    .digest('base64');
};

export const agreementOn = (call: RpcCall, needed: number): Agreement => ({
  needed,
  digest: (answer) => digestOf(call, answer),
  isDoubtful: (answer) => lacksLogs(call, answer),
});
