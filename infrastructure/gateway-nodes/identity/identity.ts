import { createSingleFlight } from '../../../application/async/single-flight.js';
import { NodeFault } from '../../nodes/node-fault.js';
import type { Member } from '../member.js';
import { readChainName } from './chain-name.js';
import { createElection, type ElectionOptions, hastyMs } from './election.js';

type IdentityOptions = ElectionOptions & {
  /** Age of a check from which on a node that is used is checked again, beside its use. */
  readonly recheckMs: number;
};

/** Age of a check, as a multiple of `recheckMs`, from which on a node is used only after the next one. */
const staleAfter = 3;
/** Age from which on a node is checked before a transaction is sent to it, and a node of another chain is checked again. */
const freshMs = 2000;

/** Time for which a check under way is shared; one that takes longer may be lost, although the node is back. */
const sharedMs = 100;

/** Makes a function that does the work unless that was done within the given time. */
const atMostEvery = (work: () => void) => {
  let doneAt = Number.NEGATIVE_INFINITY;
  return (ms: number) => {
    const now = performance.now();
    if (now - doneAt < ms) return;
    doneAt = now;
    work();
  };
};

/** Checks now and then which chain each node serves, so that none of another chain is asked, or sent to. */
export const createIdentity = (members: readonly Member[], { recheckMs, ...options }: IdentityOptions) => {
  const election = createElection(members, options);
  const flights = createSingleFlight<void>(() => performance.now());
  const checkedAt = new Map<Member, number>();
  const isAlone = members.length === 1 && options.chainId === undefined;
  let isHurrying = false;

  const ageOf = (member: Member) => performance.now() - (checkedAt.get(member) ?? Number.NEGATIVE_INFINITY);
  const read = async (member: Member) => {
    try {
      const name = await readChainName(member);
      checkedAt.set(member, performance.now());
      member.vouch();
      election.note(member, name);
    } catch (error) {
      election.fail(member);
      throw error;
    }
  };
  const check = (member: Member) =>
    flights.run(String(members.indexOf(member)), undefined, () => read(member), sharedMs);
  const isDue = (member: Member, maxMs: number) => !member.isVetted() || ageOf(member) >= maxMs;
  const maxAge = (member: Member) => (member.isForeign() ? Math.min(recheckMs, freshMs) : recheckMs);
  /** Checks all nodes whose check is old, beside their use; a node at rest is left alone once the chain is known. */
  const refresh = () => {
    if (!isHurrying) setTimeout(election.hurry, hastyMs).unref();
    isHurrying = true;
    for (const member of members)
      if (isDue(member, maxAge(member)) && !(election.isDecided() && member.restLeft() > 0))
        check(member).catch(() => undefined);
  };
  const refreshAfter = atMostEvery(refresh);
  const expectOwn = (member: Member) => {
    if (member.isForeign()) throw new NodeFault('wrong', 'serves another chain');
  };
  const verify = async (member: Member, maxMs: number) => {
    if (isDue(member, maxMs)) await check(member);
    if (!election.isDecided()) {
      refresh();
      await election.decided;
    }
    expectOwn(member);
  };

  return {
    refresh,
    /** Checks the nodes again if that was long ago; called with every use of what is remembered of them. */
    noteUse: () => refreshAfter(recheckMs),
    /** Returns null when the node may be asked at once, or else rejects unless the node serves the chain. */
    trust: (member: Member): Promise<void> | null => {
      if (!isDue(member, recheckMs) && election.isDecided() && !member.isForeign()) return null;
      // A single node has no other to differ from until it was heard once.
      const isFirst = isAlone && !checkedAt.has(member);
      if (isFirst || (!isDue(member, recheckMs * staleAfter) && !member.isForeign() && election.isDecided())) {
        refreshAfter(sharedMs);
        return null;
      }
      return verify(member, recheckMs);
    },
    /** Rejects unless the node was just seen to serve the chain. */
    verify: (member: Member) => verify(member, Math.min(recheckMs, freshMs)),
    /** Checks the node now. */
    check: async (member: Member) => {
      await check(member);
      expectOwn(member);
    },
    settled: election.decided,
  };
};

export type Identity = ReturnType<typeof createIdentity>;
