import { fail } from '../../domain/failure.js';
import type { Health } from './health.js';
import { type FaultKind, NodeFault } from './node-fault.js';

/** Maximum number of queries to one node for one piece of work. */
const maxAttempts = 5;
/** Maximum number of queries to one node after another node has reported that the data does not exist. */
const maxAttemptsOnceAbsent = 2;
/** Faults that depend on the request alone: the same node would fail the same way again. */
const final: readonly FaultKind[] = ['unsupported', 'refused', 'reverted', 'late', 'oversized'];
const unreachable: readonly FaultKind[] = ['failing', 'busy', 'late'];

export const isUnreachable = ({ kind }: NodeFault): boolean => unreachable.includes(kind);

/** Creates the state of one search through the nodes: which nodes were queried, and with what outcome. */
export const createSearch = <Member extends Health>(members: readonly Member[]) => {
  const faults = new Map<Member, NodeFault>();
  const attempts = new Map<Member, number>();
  const done = new Set<Member>();
  let reportedAbsent = false;
  const attemptsOf = (member: Member) => attempts.get(member) ?? 0;
  // Returns whether the search still waits for a node. Once another node has reported that the data does not exist, the
  // search waits only for nodes that are briefly unavailable, because these may have the data.
  const mayWait = (member: Member) =>
    !reportedAbsent || (attemptsOf(member) < maxAttemptsOnceAbsent && member.isBrieflyAway());
  const noteAbsent = (member: Member) => {
    reportedAbsent = true;
    done.add(member);
  };
  const noteFault = (member: Member, fault: NodeFault) => {
    faults.set(member, fault);
    attempts.set(member, attemptsOf(member) + 1);
    if (final.includes(fault.kind) || attemptsOf(member) === maxAttempts) done.add(member);
  };
  return {
    /** Queries the available nodes one after the other until a node has an answer; null if no node has an answer. */
    round: async <T>(ask: (member: Member) => Promise<T | null>): Promise<T | null> => {
      for (const member of members.filter((one) => !done.has(one) && one.restLeft() === 0)) {
        try {
          const found = await ask(member);
          if (found !== null) return found;
          noteAbsent(member);
        } catch (error) {
          if (!(error instanceof NodeFault)) throw error;
          noteFault(member, error);
        }
      }
      return null;
    },
    isReportedAbsent: () => reportedAbsent,
    /** Returns the nodes that should be queried again later. */
    left: () => members.filter((member) => !done.has(member) && mayWait(member)),
    failUnanswered: (): never => {
      const last = members.map((member) => [member.name, faults.get(member) ?? member.lastFault()] as const);
      const reasons = last.map(([name, fault]) => `${name}: ${fault?.message ?? 'not queried'}`).join('; ');
      const isDown = last.every(([, fault]) => !fault || isUnreachable(fault));
      const outcome = isDown ? 'could be reached' : 'returned a usable answer';
      return fail('NODE_ERROR', `No chain node ${outcome} (${reasons || 'none is configured'})`);
    },
  };
};
