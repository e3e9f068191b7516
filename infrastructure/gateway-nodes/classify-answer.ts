import type { Cacheability } from '../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../application/ports/node.js';
import type { Envelope } from '../nodes/json-rpc/envelope.js';
import { faultOf, readError } from '../nodes/json-rpc/rpc-fault.js';
import { type FaultKind, NodeFault } from '../nodes/node-fault.js';
import { contradicts } from './agreement/contradiction.js';
import { headIn, isEmpty, isNull, matchesRequest } from './checks.js';
import { hidesLag } from './heads/lag.js';
import type { Attempt, Doubt } from './hedged-request.js';
import type { Member } from './member.js';

type Result = Extract<Envelope, { readonly result: Buffer }>;

/** Context in which an answer is classified. */
type AnswerContext = {
  /** Returns whether a head of this height is lower than the head that was announced to callers; false for null. */
  isBehind(height: number | null): boolean;
  /** Returns whether the chain cannot have reached the height that the node gave as the head. */
  isImpossible(member: Member, height: number): boolean;
  /** True when the node may lack the blocks that the answer is about. */
  readonly lags: boolean;
  /** True to check answers of any size for contradictions, not only small ones. */
  readonly readsAll?: boolean;
};

/** Puts the node into cooldown, and throws. */
const reject = (member: Member, reason: string): never => {
  const fault = new NodeFault('wrong', reason);
  member.rest(fault);
  throw fault;
};

const noteHead = (member: Member, height: number, { isImpossible }: AnswerContext) => {
  if (isImpossible(member, height)) reject(member, `reported block ${height}, which its chain cannot have reached`);
  member.setHeight(height);
};

/** Returns whether another node may have a more complete answer. */
const isDoubtful = (
  { method, retryIfEmpty }: RpcCall,
  answer: Result,
  { lags }: AnswerContext,
  cacheability: Cacheability,
): boolean => {
  // A lagging node gives an outdated answer about the head. For a fixed height, the answer of a lagging node is right
  // or empty, but a list of logs may be partial.
  if (lags && (cacheability.kind === 'head' || hidesLag(method))) return true;
  return retryIfEmpty || lags ? isEmpty(answer) : isNull(answer);
};

/** JSON-RPC error code for a request whose result exceeds a limit. */
const limitExceeded = -32_005;

/**
 * Doubt about an error answer, by kind of fault. Kinds that are not listed cause no doubt, because every node would
 * fail in the same way.
 */
const doubts: Partial<Record<FaultKind, Doubt>> = {
  missing: 'lacking',
  unsupported: 'lacking',
  oversized: 'lacking',
  busy: 'failing',
  failing: 'failing',
};

/**
 * Converts the fault of an oversized answer into a JSON-RPC error for the caller, and rethrows any other fault. The
 * error is doubtful, because another node may give a smaller answer.
 */
export const toLimitError = (fault: unknown): Attempt<RpcAnswer> => {
  if (!(fault instanceof NodeFault) || fault.kind !== 'oversized') throw fault;
  const error = { code: limitExceeded, message: `The node ${fault.message}` };
  return { answer: { error: Buffer.from(JSON.stringify(error)) }, doubt: 'lacking' };
};

/**
 * Classifies a node's answer by how likely another node has a better one. Throws when the answer belongs to another
 * request.
 */
export const classifyAnswer = (
  call: RpcCall,
  envelope: Envelope,
  member: Member,
  cacheability: Cacheability,
  context: AnswerContext,
): Attempt<RpcAnswer> => {
  const { method, params } = call;
  if ('error' in envelope) {
    const fault = faultOf(readError(envelope.error));
    member.abilities.noteError(call, fault, member.head()?.number);
    // The node's own message is untrusted text, so it is not logged.
    if (fault.kind === 'busy') member.rest(new NodeFault('busy', 'rejected a request because of its rate limit'));
    return { answer: { error: envelope.error }, doubt: doubts[fault.kind] ?? 'none' };
  }
  if (!matchesRequest(call.method, call.params, envelope)) reject(member, 'returned data that was not requested');
  const head = headIn(method, params, envelope);
  if (head !== null) noteHead(member, head, context);
  if (isNull(envelope)) member.abilities.noteNull(call, member.head()?.number);
  else member.abilities.noteAnswer(call);
  if (context.isBehind(head) || isDoubtful(call, envelope, context, cacheability))
    return { answer: envelope, doubt: 'empty' };
  return { answer: envelope, doubt: contradicts(call, envelope, context.readsAll ?? false) ? 'lacking' : 'none' };
};
