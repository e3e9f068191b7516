import { fail } from '../../domain/failure.js';
import type { Health } from './health.js';
import { type FaultKind, NodeFault } from './node-fault.js';

/** Number of times that one node is asked for one piece of work. */
const maxAttempts = 5;
/** Number of times that a node is asked once another node has answered that the data does not exist. */
const triesWhenDenied = 2;
/** Faults that depend on the question alone: the same node would answer the same again. */
const final: readonly FaultKind[] = ['unsupported', 'refused', 'reverted', 'late', 'oversized'];
const unreachable: readonly FaultKind[] = ['failing', 'busy', 'late'];

export const isUnreachable = ({ kind }: NodeFault): boolean => unreachable.includes(kind);

/** Keeps track of one search through the nodes: which were asked, and with what outcome. */
export const createSearch = <Member extends Health>(members: readonly Member[]) => {
  const faults = new Map<Member, NodeFault>();
  const tries = new Map<Member, number>();
  const done = new Set<Member>();
  let denied = false;
  const triesOf = (member: Member) => tries.get(member) ?? 0;
  // An answer that the data does not exist is not believed while another node, which may have it, is only briefly away.
  const mayWait = (member: Member) => !denied || (triesOf(member) < triesWhenDenied && member.isBrieflyAway());
  const deny = (member: Member) => {
    denied = true;
    done.add(member);
  };
  const noteFault = (member: Member, fault: NodeFault) => {
    faults.set(member, fault);
    tries.set(member, triesOf(member) + 1);
    if (final.includes(fault.kind) || triesOf(member) === maxAttempts) done.add(member);
  };
  return {
    /** Asks the nodes that are ready, one after the other, until one has an answer. */
    round: async <T>(ask: (member: Member) => Promise<T | null>): Promise<T | null> => {
      for (const member of members.filter((one) => !done.has(one) && one.restLeft() === 0)) {
        try {
          const found = await ask(member);
          if (found !== null) return found;
          deny(member);
        } catch (error) {
          if (!(error instanceof NodeFault)) throw error;
          noteFault(member, error);
        }
      }
      return null;
    },
    isDenied: () => denied,
    /** Nodes that are worth asking again later. */
    left: () => members.filter((member) => !done.has(member) && mayWait(member)),
    verdict: (): never => {
      const last = members.map((member) => [member.name, faults.get(member) ?? member.lastFault()] as const);
      const reasons = last.map(([name, fault]) => `${name}: ${fault?.message ?? 'not asked'}`).join('; ');
      const isDown = last.every(([, fault]) => !fault || isUnreachable(fault));
      const outcome = isDown ? 'can be reached' : 'gave a usable answer';
      return fail('NODE_ERROR', `no node of the chain ${outcome} (${reasons || 'none is configured'})`);
    },
  };
};
