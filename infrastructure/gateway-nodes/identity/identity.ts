import { createSingleFlight } from '../../../application/async/single-flight.js';
import { NodeFault } from '../../nodes/node-fault.js';
import type { Member } from '../member.js';
import { type ChainName, readChainName } from './chain-name.js';
import { createElection, type ElectionOptions, earlyDecisionMs } from './election.js';

type IdentityOptions = ElectionOptions & {
  /** Milliseconds after which a node that is in use is checked again in the background. */
  readonly recheckMs: number;
};

/** Age of a check, as a multiple of `recheckMs`, from which the node must be checked again before it is used. */
const staleAfter = 3;
/** Milliseconds after which a foreign node is checked again. */
const freshMs = 2000;

/**
 * Maximum age in ms of an in-flight check that other callers join. An older check may still wait for a lost response
 * although the node has recovered.
 */
const sharedMs = 100;

/** Returns a function that runs the work unless the work already ran within the given number of milliseconds. */
const atMostEvery = (work: () => void) => {
  let doneAt = Number.NEGATIVE_INFINITY;
  return (ms: number) => {
    const now = performance.now();
    if (now - doneAt < ms) return;
    doneAt = now;
    work();
  };
};

/**
 * Creates the checks that find out which chain each node serves, so that nodes of other chains receive no requests. The
 * checks are repeated while the nodes are in use.
 */
export const createIdentity = (members: readonly Member[], { recheckMs, ...options }: IdentityOptions) => {
  const election = createElection(members, options);
  const flights = createSingleFlight<ChainName | null>(() => performance.now());
  const checkedAt = new Map<Member, number>();
  const isAlone = members.length === 1 && options.chainId === undefined;
  let isTimerSet = false;

  const ageOf = (member: Member) => performance.now() - (checkedAt.get(member) ?? Number.NEGATIVE_INFINITY);
  const read = async (member: Member): Promise<ChainName | null> => {
    try {
      const name = await readChainName(member);
      checkedAt.set(member, performance.now());
      member.vouch();
      election.note(member, name);
      return name;
    } catch (error) {
      election.fail(member);
      throw error;
    }
  };
  const check = (member: Member) =>
    flights.run(String(members.indexOf(member)), undefined, () => read(member), sharedMs);
  const isDue = (member: Member, maxMs: number) => !member.isVetted() || ageOf(member) >= maxMs;
  const maxAge = (member: Member) => (member.isForeign() ? Math.min(recheckMs, freshMs) : recheckMs);
  /** Checks in the background all nodes without a recent check. Skips nodes in cooldown once the chain is known. */
  const refresh = () => {
    if (!isTimerSet) setTimeout(election.decideEarly, earlyDecisionMs).unref();
    isTimerSet = true;
    for (const member of members)
      if (isDue(member, maxAge(member)) && !(election.isDecided() && member.restLeft() > 0))
        check(member).catch(() => undefined);
  };
  const refreshAfter = atMostEvery(refresh);
  const rejectForeign = (member: Member) => {
    if (member.isForeign()) throw new NodeFault('wrong', 'serves another chain');
  };
  const verify = async (member: Member, maxMs: number) => {
    if (isDue(member, maxMs)) await check(member);
    if (!election.isDecided()) {
      refresh();
      await election.decided;
    }
    rejectForeign(member);
  };

  return {
    refresh,
    /** Checks the nodes again if their checks are outdated. Called on every use of a cached answer. */
    noteUse: () => refreshAfter(recheckMs),
    /** Returns null when the node may be asked at once; otherwise a promise that rejects if the node is foreign. */
    trust: (member: Member): Promise<void> | null => {
      if (!isDue(member, recheckMs) && election.isDecided() && !member.isForeign()) return null;
      // The first request to the only node need not wait for the check: there is no other node that might serve another
      // chain.
      const isFirst = isAlone && !checkedAt.has(member);
      if (isFirst || (!isDue(member, recheckMs * staleAfter) && !member.isForeign() && election.isDecided())) {
        refreshAfter(sharedMs);
        return null;
      }
      return verify(member, recheckMs);
    },
    /**
     * Checks again which chain the node serves, and waits until a chain is elected. Rejects if the node serves another
     * chain.
     */
    verify: (member: Member) => verify(member, 0),
    /**
     * Checks now which chain the node serves, without waiting for an election. Rejects if the node counts as foreign.
     */
    check: async (member: Member) => {
      await check(member);
      rejectForeign(member);
    },
    /**
     * Reads the chain that the node serves now. Does not join a check in flight, because the node may have switched to
     * another chain since the check began.
     */
    nameOf: read,
    settled: election.decided,
  };
};

export type Identity = ReturnType<typeof createIdentity>;
