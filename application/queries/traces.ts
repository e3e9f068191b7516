import { isRecord } from '../../domain/rpc-value.js';
import { NodeRefusal } from '../ports/node.js';
import {
  addressText,
  type ExactInteger,
  failInvalidAnswer,
  integer,
  type Raw,
  rawRecord,
  text,
} from './wire-records.js';

/** Call of a contract within a transaction, as in docs/specification.md#internal-transaction. */
export type InternalTransactionRecord = {
  transaction_hash: string;
  from: string;
  to: string;
  gas: ExactInteger;
  gas_used: ExactInteger;
  input: string;
  output: string;
  call_type: string;
  trace_index: number;
  value: string;
  error: string;
};
type Frame = Omit<InternalTransactionRecord, 'transaction_hash' | 'trace_index'>;

const listed = (value: unknown, what: string): readonly unknown[] =>
  Array.isArray(value) ? value : failInvalidAnswer(`${what} are not an array`);
const gas = (value: unknown) => (value == null ? 0 : integer(value, 'gas'));
/** Returns `0x0` for calls without a value, such as static calls. */
const amount = (value: unknown) => text(value) || '0x0';
const bytes = (value: unknown) => text(value) || '0x';

const frameOf = (raw: Raw): Frame => ({
  from: addressText(raw.from),
  to: addressText(raw.to),
  gas: gas(raw.gas),
  gas_used: gas(raw.gasUsed),
  input: bytes(raw.input),
  output: bytes(raw.output),
  call_type: text(raw.type),
  value: amount(raw.value),
  error: text(raw.error),
});

/**
 * Lists all calls that a transaction causes, except the call of the transaction itself; callers precede callees. Uses
 * a loop instead of recursion, because calls may be nested deeper than the stack allows.
 */
const framesOfCalls = (root: unknown): Frame[] => {
  const top = rawRecord(root, 'a trace');
  if (top.structLogs !== undefined) throw new NodeRefusal('unsupported', 'the node does not support the call tracer');
  if (typeof top.type !== 'string') failInvalidAnswer('a trace has no type');
  const frames: Frame[] = [];
  const callsOf = (raw: Raw) => listed(raw.calls ?? [], 'the calls of a trace').toReversed();
  const waiting = [...callsOf(top)];
  while (waiting.length > 0) {
    const raw = rawRecord(waiting.pop(), 'a call');
    frames.push(frameOf(raw));
    for (const call of callsOf(raw)) waiting.push(call);
  }
  return frames;
};

const part = (value: unknown): Raw => (isRecord(value) ? value : {});

/** Functions that convert a trace of `trace_transaction` to the fields of the call tracer, by the type of the trace. */
const translations: Readonly<Record<string, (action: Raw, result: Raw) => Raw>> = {
  call: (action, result) => ({
    ...action,
    gasUsed: result.gasUsed,
    output: result.output,
    type: text(action.callType).toUpperCase() || 'CALL',
  }),
  create: (action, result) => ({
    ...action,
    to: result.address,
    gasUsed: result.gasUsed,
    input: action.init,
    output: result.code,
    type: text(action.creationMethod).toUpperCase() || 'CREATE',
  }),
  suicide: (action) => ({
    from: action.address,
    to: action.refundAddress,
    value: action.balance,
    type: 'SELFDESTRUCT',
  }),
};

const framesOfTraces = (answer: unknown): Frame[] => {
  if (answer === null) throw new NodeRefusal('missing', 'the node has no traces of this transaction');
  return listed(answer, 'traces').flatMap((one) => {
    const { traceAddress, type, action, result, error } = rawRecord(one, 'a trace');
    const translate = translations[text(type)] ?? failInvalidAnswer('a trace has an unknown type');
    // A trace with an empty address describes the transaction itself, not an internal call.
    if (listed(traceAddress, 'the entries of a traceAddress').length === 0) return [];
    return [frameOf({ ...translate(part(action), part(result)), error })];
  });
};

type Tracer = {
  readonly method: string;
  readonly params: (hash: string) => readonly unknown[];
  readonly frames: (answer: unknown) => Frame[];
};

/** Tracing methods, in order of preference. */
export const tracers: readonly Tracer[] = [
  {
    method: 'debug_traceTransaction',
    params: (hash) => [hash, { tracer: 'callTracer' }],
    frames: framesOfCalls,
  },
  { method: 'trace_transaction', params: (hash) => [hash], frames: framesOfTraces },
];
