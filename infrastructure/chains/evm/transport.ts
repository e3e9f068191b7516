import { NodeFault } from '../nodes/node-fault.js';
import { isRaw } from '../nodes/raw.js';
import { faultOf } from './rpc-fault.js';

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };
export type Outcome = { readonly result: unknown } | { readonly fault: NodeFault };

/** The way to one node. Rejects with a NodeFault when it gives no answers at all. */
export type Transport = {
  /** The answers in the order of the calls. */
  exchange(calls: readonly RpcCall[], ms: number): Promise<readonly Outcome[]>;
  /** Only where a node can speak first: tells of new heads until the connection ends or the signal fires. */
  watchHeads?(notice: () => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

export type TransportLimits = { readonly connectMs: number; readonly mostBytes: number };

export const envelope = ({ method, params }: RpcCall, id: number) => ({ jsonrpc: '2.0', id, method, params });

export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new NodeFault('failing', 'answered with something that is not JSON');
  }
};

export const outcome = (answer: unknown): Outcome => {
  if (!isRaw(answer)) throw new NodeFault('failing', 'answered with something that is not JSON-RPC');
  if (answer.error) return { fault: faultOf(answer.error) };
  if (answer.result === undefined) throw new NodeFault('failing', 'answered without a result');
  return { result: answer.result };
};

export const resultOf = (outcome: Outcome | undefined): unknown => {
  if (!outcome) throw new NodeFault('failing', 'did not answer every question');
  if ('fault' in outcome) throw outcome.fault;
  return outcome.result;
};

/** Null for whatever a contract did instead of answering; a node that cannot tell is another matter. */
export const answerOf = (outcome: Outcome | undefined): unknown => {
  const isContracts = outcome && 'fault' in outcome && ['reverted', 'refused'].includes(outcome.fault.kind);
  return isContracts ? null : resultOf(outcome);
};
