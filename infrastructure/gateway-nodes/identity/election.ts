import type { Log } from '../../../application/ports/system.js';
import type { Member } from '../member.js';
import { type ChainName, isSame, majorityOf } from './chain-name.js';

export type ElectionOptions = {
  /** Expected chain id in decimal digits; undefined when the majority of the nodes decides. */
  readonly chainId: string | undefined;
  readonly log: Log;
  /** Called when cached answers may belong to another chain. */
  readonly onChange: () => void;
  /** Called with the name of the elected chain when the name changes, after `onChange`. */
  readonly onElect?: (name: string) => void;
};

/**
 * Milliseconds after which silent nodes no longer delay the first decision, unless the silent nodes could outvote the
 * nodes that have answered.
 */
export const earlyDecisionMs = 500;

/**
 * Creates an election, which decides by majority which chain the nodes serve and marks nodes of other chains as
 * foreign.
 */
export const createElection = (members: readonly Member[], { chainId, log, onChange, onElect }: ElectionOptions) => {
  /** Chain that each node reported; null when the node did not return a chain id. */
  const names = new Map<Member, ChainName | null>();
  const failed = new Set<Member>();
  let chain: ChainName | null = null;
  let electedName: string | null = null;
  let isDecided = false;
  let isEarly = false;
  let decide: () => void = () => undefined;
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });

  const isExpected = ({ id }: ChainName) => chainId === undefined || id === chainId;
  const isForeign = (member: Member) => {
    const name = names.get(member);
    if (name === undefined) return false;
    // Every working node returns its chain id, so a node without one counts as foreign once a chain is elected or
    // expected.
    if (name === null) return chain !== null || chainId !== undefined;
    return !isExpected(name) || (chain !== null && !isSame(name, chain));
  };
  /**
   * Returns whether nodes that have not answered yet may still change the result. `votes` is the number of nodes for
   * the leading chain.
   */
  const isOpen = (votes: number) => {
    const silent = members.filter((member) => !names.has(member) && !failed.has(member)).length;
    return isEarly ? silent > votes : silent > 0 && votes * 2 <= members.length;
  };
  /** Elects the chain. Returns whether another chain than before was elected. */
  const elect = (): boolean => {
    const named = members.flatMap((member) => names.get(member) ?? []).filter(isExpected);
    const elected = majorityOf(named, chain);
    if (!isDecided && isOpen(elected?.votes ?? 0)) return false;
    isDecided = true;
    decide();
    const before = chain;
    if (elected && elected.votes > 0) ({ chain } = elected);
    if (!before || !chain || isSame(before, chain)) return false;
    log.warn({ from: before, to: chain }, 'Gateway nodes switched to another chain; clearing the cache');
    return true;
  };
  const update = (hasSwitched = false) => {
    const isOther = elect();
    if (!isDecided) return;
    for (const member of members) member.setForeign(isForeign(member));
    if (isOther || hasSwitched) onChange();
    const name = chain && `${chain.id}/${chain.genesis ?? ''}`;
    if (name === null || name === electedName) return;
    electedName = name;
    onElect?.(name);
  };

  return {
    decided,
    isDecided: () => isDecided,
    /** Decides by the nodes that have answered, unless the silent nodes could outvote them. */
    decideEarly: () => {
      isEarly = true;
      update();
    },
    note: (member: Member, name: ChainName | null) => {
      const before = names.get(member);
      // A node that no longer returns a chain id counts as serving the chain that it reported before.
      names.set(member, name ?? before ?? null);
      update(!member.isForeign() && before != null && name !== null && !isSame(before, name));
    },
    fail: (member: Member) => {
      failed.add(member);
      update();
    },
  };
};
