import { NodeFault, wrong } from '../nodes/node-fault.js';
import type { Pace } from '../nodes/pace.js';
import { isRaw, list, type Raw, record } from '../nodes/raw.js';
import type { Node } from './nodes.js';
import { address, hash, quantity } from './wire.js';

/** A native transfer made by a contract. */
export type InternalTransfer = {
  /** Of the frame among all of its transaction, each before what it calls; the transaction itself is 0. */
  readonly number: number;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
};
/** Those of each transaction, in the order of the block. */
export type Traces = readonly (readonly InternalTransfer[])[];

const moving = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);
const isNothing = (value: unknown) => value === undefined || value === null || value === '0x0';

const transferIn = (frame: Raw, number: number): InternalTransfer | null => {
  if (!moving.has(String(frame.type)) || isNothing(frame.value)) return null;
  const value = quantity(frame.value, 'the value of a call');
  if (value === 0n) return null;
  return { number, from: address(frame.from, 'a caller'), to: address(frame.to, 'a callee'), value };
};

type Frame = { readonly frame: Raw; readonly failed: boolean };

/** All frames, each before what it calls; without recursion, for a node may answer with any depth. */
const framesOf = function* (root: Raw): Iterable<Frame> {
  const waiting: Frame[] = [{ frame: root, failed: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    // What failed moved nothing, nor did anything it called.
    const failed = next.failed || Boolean(next.frame.error);
    yield { frame: next.frame, failed };
    const calls = list(next.frame.calls ?? [], 'the calls of a call');
    for (let i = calls.length - 1; i >= 0; i--) waiting.push({ frame: record(calls[i], 'a call'), failed });
  }
};

const transfersOf = async (root: Raw, pace: Pace): Promise<readonly InternalTransfer[]> => {
  const transfers: InternalTransfer[] = [];
  let number = 0;
  for (const { frame, failed } of framesOf(root)) {
    const transfer = failed || number === 0 ? null : transferIn(frame, number);
    if (transfer) transfers.push(transfer);
    number++;
    if (pace.isDue()) await pace.breathe();
  }
  return transfers;
};

const rootOf = (answer: unknown, expected: string): Raw => {
  const { txHash, result, error } = record(answer, 'a trace');
  if (error || !isRaw(result)) throw new NodeFault('failing', 'could not trace a transaction');
  if (result.structLogs !== undefined) throw new NodeFault('unsupported', 'does not know the call tracer');
  // Older nodes leave out the hash, and keep the order.
  if (txHash !== undefined && hash(txHash, 'the hash of a trace') !== expected) wrong('traces of other transactions');
  return typeof result.type === 'string' ? result : wrong('a trace without a type');
};

/** Throws an `unsupported` fault, and keeps it in mind, when the node cannot trace at all. */
export const fetchTraces = async (
  node: Node,
  block: string,
  transactions: readonly string[],
  pace: Pace,
): Promise<Traces> => {
  try {
    const answer = await node.call('debug_traceBlockByHash', [block, { tracer: 'callTracer' }]);
    await pace.breathe();
    const traces = list(answer, 'the traces of the block');
    if (traces.length !== transactions.length) wrong('not every transaction of the block is traced');
    const transfers: (readonly InternalTransfer[])[] = [];
    for (const [i, expected] of transactions.entries())
      transfers.push(await transfersOf(rootOf(traces[i], expected), pace));
    node.can.traces = true;
    return transfers;
  } catch (error) {
    if (!(error instanceof NodeFault) || error.kind !== 'unsupported') throw error;
    // Behind one address may stand several nodes: what one of them could do once is not given up for another's word.
    if (node.can.traces) throw new NodeFault('failing', error.message);
    node.can.traces = false;
    throw error;
  }
};
