import { refuse } from '../../../domain/failure.js';
import type { Member } from './member.js';
import { type FaultKind, NodeFault } from './node-fault.js';

/** Of one node, for one piece of work. */
const mostTries = 5;
const triesWhenDenied = 2;
/** These faults tell of the question, not of the node's state: asking the same node again gives the same. */
const final: readonly FaultKind[] = ['unsupported', 'refused', 'reverted', 'late'];
const unreachable: readonly FaultKind[] = ['failing', 'busy', 'late'];

export const isUnreachable = ({ kind }: NodeFault): boolean => unreachable.includes(kind);

/** One search through the nodes: who was asked, with what outcome. */
export const createSearch = <Way>(members: readonly Member<Way>[]) => {
  const faults = new Map<Member<Way>, NodeFault>();
  const tries = new Map<Member<Way>, number>();
  const done = new Set<Member<Way>>();
  let denied = false;
  const triesOf = (member: Member<Way>) => tries.get(member) ?? 0;
  // "Not there" is not believed while a node that may know better has only stumbled.
  const mayWait = (member: Member<Way>) => !denied || (triesOf(member) < triesWhenDenied && member.isBrieflyAway());
  const deny = (member: Member<Way>) => {
    denied = true;
    done.add(member);
  };
  const fail = (member: Member<Way>, fault: NodeFault) => {
    faults.set(member, fault);
    tries.set(member, triesOf(member) + 1);
    if (final.includes(fault.kind) || triesOf(member) === mostTries) done.add(member);
  };
  return {
    /** Each that is ready, one after the other, until one knows. */
    round: async <T>(ask: (member: Member<Way>) => Promise<T | null>): Promise<T | null> => {
      for (const member of members.filter((one) => !done.has(one) && one.restLeft() === 0)) {
        try {
          const found = await ask(member);
          if (found !== null) return found;
          deny(member);
        } catch (error) {
          if (!(error instanceof NodeFault)) throw error;
          fail(member, error);
        }
      }
      return null;
    },
    isDenied: () => denied,
    /** Those that are still worth asking, later. */
    left: () => members.filter((member) => !done.has(member) && mayWait(member)),
    verdict: (): never => {
      const last = members.map((member) => [member.name, faults.get(member) ?? member.lastFault()] as const);
      const reasons = last.map(([name, fault]) => `${name}: ${fault?.message ?? 'not asked'}`).join('; ');
      const isDown = last.every(([, fault]) => !fault || isUnreachable(fault));
      const outcome = isDown ? 'can be reached' : 'gave a usable answer';
      return refuse('NODE_ERROR', `no node of the chain ${outcome} (${reasons || 'none is configured'})`);
    },
  };
};
