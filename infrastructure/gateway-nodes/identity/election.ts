import type { Log } from '../../../application/ports/system.js';
import type { Member } from '../member.js';
import { type ChainName, isSame, majorityOf } from './chain-name.js';

export type ElectionOptions = {
  /** Number of the chain that is expected; undefined where the majority of the nodes decides. */
  readonly chainId: string | undefined;
  readonly log: Log;
  /** Called when remembered answers may be of another chain. */
  readonly onChange: () => void;
};

/** Time after which nodes that were not heard no longer hold up the first decision, unless they could outvote the others. */
export const hastyMs = 500;

/** Decides which chain the nodes serve by what they say of it, and sets nodes of other chains apart. */
export const createElection = (members: readonly Member[], { chainId, log, onChange }: ElectionOptions) => {
  /** Names that the nodes gave; null where a node cannot say, or could not be asked. */
  const names = new Map<Member, ChainName | null>();
  const failed = new Set<Member>();
  let chain: ChainName | null = null;
  let isDecided = false;
  let isHasty = false;
  let decide: () => void = () => undefined;
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });

  const isExpected = ({ id }: ChainName) => chainId === undefined || id === chainId;
  const isForeign = (member: Member) => {
    const name = names.get(member);
    if (name === undefined) return false;
    // Every node can name its chain by number, so one that does not is suspect beside one that does.
    if (name === null) return chain !== null || chainId !== undefined;
    return !isExpected(name) || (chain !== null && !isSame(name, chain));
  };
  /** Tells whether the nodes that were not heard yet may still name another chain. */
  const isOpen = (votes: number) => {
    const silent = members.filter((member) => !names.has(member) && !failed.has(member)).length;
    return isHasty ? silent > votes : silent > 0 && votes * 2 <= members.length;
  };
  /** Tells whether another chain than before was elected. */
  const elect = (): boolean => {
    const named = members.flatMap((member) => names.get(member) ?? []).filter(isExpected);
    const elected = majorityOf(named, chain);
    if (!isDecided && isOpen(elected?.votes ?? 0)) return false;
    isDecided = true;
    decide();
    const before = chain;
    if (elected && elected.votes > 0) ({ chain } = elected);
    if (!before || !chain || isSame(before, chain)) return false;
    log.warn({ from: before, to: chain }, 'the nodes of the gateway serve another chain than before');
    return true;
  };
  const judge = (hasSwitched = false) => {
    const isOther = elect();
    if (!isDecided) return;
    for (const member of members) member.setForeign(isForeign(member));
    if (isOther || hasSwitched) onChange();
  };

  return {
    decided,
    isDecided: () => isDecided,
    /** Decides by the nodes that were heard, unless the others could outvote them. */
    hurry: () => {
      isHasty = true;
      judge();
    },
    note: (member: Member, name: ChainName | null) => {
      const before = names.get(member);
      // A node that refuses to tell serves what it told before.
      names.set(member, name ?? before ?? null);
      judge(!member.isForeign() && before != null && name !== null && !isSame(before, name));
    },
    fail: (member: Member) => {
      failed.add(member);
      judge();
    },
  };
};
