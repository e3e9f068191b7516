import { createHash } from 'node:crypto';
import type { Cacheability } from '../../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { isRecord } from '../../../domain/rpc-value.js';
import { readError } from '../../nodes/json-rpc/rpc-fault.js';
import type { Agreement } from './agreed-answer.js';
import { lacksLogs } from './contradiction.js';

// Node software encodes the same value differently: in upper case, with leading zeros, as null or as a missing field.
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
/**
 * Normalizes a receipt to the fields that all node software returns. Other fields depend on the software and its
 * version.
 */
const receipt = fields({
  ...position,
  from: data,
  to: data,
  contractAddress: data,
  status: quantity,
  gasUsed: quantity,
  logs: each(log),
});

/** Methods whose answers can be compared, each with the function that normalizes an answer. */
const forms: Readonly<Record<string, (value: unknown) => unknown>> = {
  eth_getBalance: quantity,
  eth_getLogs: each(log),
  eth_getTransactionReceipt: receipt,
  eth_getBlockReceipts: each(receipt),
};

/** Kinds of requests for which all nodes that have the data return the same answer. Answers about the head differ. */
const comparableKinds: readonly Cacheability['kind'][] = ['height', 'hash', 'transaction'];

export const isComparable = ({ method }: RpcCall, { kind }: Cacheability): boolean =>
  Object.hasOwn(forms, method) && comparableKinds.includes(kind);

/**
 * Returns the digest of an answer: its error code, or a hash of its normalized result. Equivalent answers have the same
 * digest.
 */
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
