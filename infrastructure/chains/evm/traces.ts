import { failInvalidAnswer, NodeFault } from '../../nodes/node-fault.js';
import { isRaw, list, type Raw, record } from '../../nodes/raw.js';
import type { Pace } from '../../pace.js';
import type { Node } from './nodes.js';
import { createBootloaderFilter, isRunByBootloader, payerOf, type SentTransaction } from './quirks/bootloader.js';
import { address, hash, quantity } from './wire.js';

/** Native transfer made by a contract. */
export type InternalTransfer = {
  /** Number of the call frame within its transaction, in call order. The transaction itself is 0. */
  readonly number: number;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
};
/** Internal transfers of a block: one list for each transaction, in the order of the transactions. */
export type Traces = readonly (readonly InternalTransfer[])[];

/**
 * Frame of a trace. `around` is the frame of the call that made this call; null for the root. `failed` is true if this
 * call or one around it failed.
 */
type Frame = { readonly frame: Raw; readonly around: Raw | null; readonly failed: boolean };

/** Call types that move value. Some networks write these types in lower case or capitalized. */
const movingTypes = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);
const isMoving = ({ type }: Raw) => movingTypes.has(String(type).toUpperCase());
const isNothing = (value: unknown) => value === undefined || value === null || value === '0x0';

/**
 * Returns whether a frame is a delegate call that the node reports as an ordinary call: it repeats the sender, the
 * receiver and the value of the call around it. The sender of an ordinary call is the receiver of the call around it.
 */
const isDelegated = ({ from, to, value }: Raw, around: Raw | null) =>
  around !== null &&
  from !== to &&
  from === around.from &&
  to === around.to &&
  value === around.value &&
  isMoving(around);

const transferIn = ({ frame, around }: Frame, number: number): InternalTransfer | null => {
  if (isNothing(frame.value) || !isMoving(frame) || isDelegated(frame, around)) return null;
  const value = quantity(frame.value, 'the value of a call');
  if (value === 0n) return null;
  return { number, from: address(payerOf(frame, around), 'a caller'), to: address(frame.to, 'a callee'), value };
};

/** Returns whether a call failed. Some failed calls have no `error`, only a `revertReason`. */
const isFailed = ({ error, revertReason }: Raw) => Boolean(error) || typeof revertReason === 'string';

/** Yields all frames in call order. Not recursive, because the depth of a node's answer is untrusted. */
const framesOf = function* (root: Raw): Iterable<Frame> {
  const waiting: Frame[] = [{ frame: root, around: null, failed: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { frame, around } = next;
    // A failed call moves nothing, and neither do the calls within it.
    const failed = next.failed || isFailed(frame);
    yield { frame, around, failed };
    const calls = list(frame.calls ?? [], 'the calls of a call');
    for (let i = calls.length - 1; i >= 0; i--)
      waiting.push({ frame: record(calls[i], 'a call'), around: frame, failed });
  }
};

const transfersOf = async (
  root: Raw,
  transaction: SentTransaction,
  pace: Pace,
): Promise<readonly InternalTransfer[]> => {
  const transfers: InternalTransfer[] = [];
  const isInternal = isRunByBootloader(root) ? createBootloaderFilter(transaction) : () => true;
  let number = 0;
  for (const one of framesOf(root)) {
    const transfer = one.failed || number === 0 ? null : transferIn(one, number);
    if (transfer && isInternal(transfer)) transfers.push(transfer);
    number++;
    if (pace.isDue()) await pace.breathe();
  }
  return transfers;
};

const rootOf = ({ result, error }: Raw): Raw => {
  if (error || !isRaw(result)) throw new NodeFault('failing', 'could not trace a transaction');
  if (result.structLogs !== undefined) throw new NodeFault('unsupported', 'does not support callTracer');
  return typeof result.type === 'string' ? result : failInvalidAnswer('returned a trace without a type');
};

/** Transaction to trace. `isSystem` marks a system transaction, which some nodes cannot trace. */
export type Traced = SentTransaction & { readonly hash: string; readonly isSystem: boolean };

const isTraced = (trace: Raw | undefined) => trace !== undefined && !trace.error && isRaw(trace.result);

/**
 * Returns the trace of each transaction; null for a transaction that cannot be traced. Older nodes omit transaction
 * hashes but keep the order.
 */
const tracesFor = (given: readonly Raw[], transactions: readonly Traced[]): readonly (Raw | null)[] => {
  const byHash = new Map(
    given.flatMap((trace) => (trace.txHash ? [[hash(trace.txHash, 'the hash of a trace'), trace] as const] : [])),
  );
  const inOrder = transactions.filter(({ isSystem }) => !isSystem || given.length === transactions.length);
  if (byHash.size === 0 && given.length === inOrder.length)
    for (const [i, { hash }] of inOrder.entries()) byHash.set(hash, given[i] as Raw);
  return transactions.map(({ hash, isSystem }) => {
    const trace = byHash.get(hash);
    if (isSystem && !isTraced(trace)) return null;
    return trace ?? failInvalidAnswer('did not trace every transaction of the block');
  });
};

/**
 * Fetches the traces of a block. If the node does not support tracing at all, notes this in `node.can` and throws an
 * `unsupported` fault.
 */
export const fetchTraces = async (
  node: Node,
  block: string,
  transactions: readonly Traced[],
  pace: Pace,
): Promise<Traces> => {
  try {
    const answer = await node.call('debug_traceBlockByHash', [block, { tracer: 'callTracer' }]);
    await pace.breathe();
    const given = list(answer, 'the traces of the block').map((trace) => record(trace, 'a trace'));
    const transfers: (readonly InternalTransfer[])[] = [];
    for (const [i, trace] of tracesFor(given, transactions).entries())
      transfers.push(trace ? await transfersOf(rootOf(trace), transactions[i] as Traced, pace) : []);
    node.can.traces = true;
    return transfers;
  } catch (error) {
    if (!(error instanceof NodeFault) || error.kind !== 'unsupported') throw error;
    // A URL that returned traces before may lead to several nodes. If one of them cannot trace, another may still be
    // able to.
    if (node.can.traces) throw new NodeFault('failing', error.message);
    node.can.traces = false;
    throw error;
  }
};
