import type { Cacheability } from '../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../application/ports/node.js';
import type { Envelope } from '../nodes/json-rpc/envelope.js';
import { faultOf, readError } from '../nodes/json-rpc/rpc-fault.js';
import { type FaultKind, NodeFault } from '../nodes/node-fault.js';
import { contradicts } from './agreement/contradiction.js';
import { fits, headIn, isEmpty, isNull } from './checks.js';
import type { Attempt, Doubt } from './hedged-request.js';
import type { Member } from './member.js';

type Result = Extract<Envelope, { readonly result: Buffer }>;

/** Heads that callers were told of, as far as they bear on an answer. */
type Standing = {
  /** Tells whether a head is lower than one that callers were told of. */
  isBehind(height: number | null): boolean;
  /** True for a node that is not known to have the blocks that the answer is about. */
  readonly lags: boolean;
  /** True where also long answers are read, to see whether they contradict themselves. */
  readonly readsAll?: boolean;
};

/** Tells whether another node may have more than this answer shows. */
const isDoubtful = ({ doubtsEmpty }: RpcCall, answer: Result, { lags }: Standing, reach: Cacheability): boolean => {
  // An answer at the head is old when the node lags; one at a height is either right or empty.
  if (lags && reach.kind === 'head') return true;
  return doubtsEmpty || lags ? isEmpty(answer) : isNull(answer);
};

/** Code of JSON-RPC for a question that asks for too much. */
const limitExceeded = -32_005;

/** Doubt by kind of fault: another node may do better. With any other fault it would answer the same. */
const doubts: Partial<Record<FaultKind, Doubt>> = {
  missing: 'lacking',
  unsupported: 'lacking',
  oversized: 'lacking',
  busy: 'failing',
  failing: 'failing',
};

/** Makes an answer of a node's own that was too large to take: another node may give less, or else the caller must. */
export const tellExcess = (fault: unknown): Attempt<RpcAnswer> => {
  if (!(fault instanceof NodeFault) || fault.kind !== 'oversized') throw fault;
  const error = { code: limitExceeded, message: `the node ${fault.message}` };
  return { answer: { error: Buffer.from(JSON.stringify(error)) }, doubt: 'lacking' };
};

/** Tells how far another node may know better; `readsAll` has long answers checked too. Throws when the answer is about something else. */
export const classifyAnswer = (
  call: RpcCall,
  envelope: Envelope,
  member: Member,
  reach: Cacheability,
  standing: Standing,
): Attempt<RpcAnswer> => {
  const { method, params } = call;
  if ('error' in envelope) {
    const fault = faultOf(readError(envelope.error));
    member.abilities.noteRefusal(call, fault, member.head()?.number);
    // The node's own words are not logged, since anything may stand in them.
    if (fault.kind === 'busy') member.rest(new NodeFault('busy', 'asks for fewer requests'));
    return { answer: { error: envelope.error }, doubt: doubts[fault.kind] ?? 'none' };
  }
  if (!fits(call.method, call.params, envelope)) {
    const fault = new NodeFault('wrong', 'answered about something else than was asked for');
    member.rest(fault);
    throw fault;
  }
  const head = headIn(method, params, envelope);
  if (head !== null) member.seeHeight(head);
  if (isNull(envelope)) member.abilities.noteNull(call, member.head()?.number);
  else member.abilities.noteAnswer(call);
  if (standing.isBehind(head) || isDoubtful(call, envelope, standing, reach))
    return { answer: envelope, doubt: 'empty' };
  return { answer: envelope, doubt: contradicts(call, envelope, standing.readsAll ?? false) ? 'lacking' : 'none' };
};
