import type { RpcAnswer, RpcCall } from '../../application/ports/node.js';
import { faultOf } from '../chains/evm/rpc-fault.js';
import { type FaultKind, NodeFault } from '../chains/nodes/node-fault.js';
import { fits, isNull } from './checks.js';
import type { Envelope } from './envelope.js';
import type { Attempt, Doubt } from './hedged-request.js';
import type { Member } from './member.js';

type Result = Extract<Envelope, { readonly result: Buffer }>;

/** Another node may do better than one that says so; anything else it would say as well. */
const doubts: Partial<Record<FaultKind, Doubt>> = {
  missing: 'lacking',
  unsupported: 'lacking',
  busy: 'failing',
  failing: 'failing',
};

/** A node's error object, as it is; null when it is none. */
export const readError = (error: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(error).toString());
  } catch {
    return null;
  }
};

/** Whether another node should be asked after this answer. Throws when it is about something else. */
export const judge = (
  { method, params }: RpcCall,
  envelope: Envelope,
  member: Member,
  isBehind: (answer: Result) => boolean,
): Attempt<RpcAnswer> => {
  if ('error' in envelope) {
    const fault = faultOf(readError(envelope.error));
    // Without its own words, in which anything may stand.
    if (fault.kind === 'busy') member.rest(new NodeFault('busy', 'asks for fewer requests'));
    return { answer: { error: envelope.error }, doubt: doubts[fault.kind] ?? 'none' };
  }
  if (!fits(method, params, envelope)) {
    const fault = new NodeFault('wrong', 'answered about something else than was asked for');
    member.rest(fault);
    throw fault;
  }
  return { answer: envelope, doubt: isNull(envelope) || isBehind(envelope) ? 'empty' : 'none' };
};
