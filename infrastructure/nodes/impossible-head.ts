import { fail } from '../../domain/failure.js';
import { NodeFault } from './node-fault.js';

/** Head of a node. `time` is the time of its block in Unix seconds; NaN when the node reports no time. */
export type TimedHead = { readonly number: number; readonly hash: string; readonly time: number };

/** Number of blocks per second that no chain exceeds. */
const maxBlocksPerSecond = 100;
/** Number of blocks that two nodes may be apart even if their blocks have the same time. */
const tolerance = 1000;
/** Seconds by which the clock of this host may be wrong. */
const maxClockError = 3600;

type Height = Pick<TimedHead, 'number' | 'time'>;

const latestPossibleTime = () => Date.now() / 1000 + maxClockError;

/**
 * Returns whether a chain cannot have produced so many blocks in the time between the two. False if the time of the
 * lower one is unknown or is not in seconds.
 */
const isTooFarAbove = (higher: Height, lower: Height): boolean => {
  const latest = latestPossibleTime();
  if (lower.time > latest) return false;
  const seconds = Math.min(higher.time, latest) - lower.time;
  return higher.number - lower.number > tolerance + maxBlocksPerSecond * Math.max(0, seconds);
};

/**
 * Returns whether more of the other nodes contradict the height than support it. A height without a time, as in an
 * answer to a caller, counts as the newest possible block.
 */
export const isImpossible = (
  { number, time = latestPossibleTime() }: { readonly number: number; readonly time?: number },
  others: readonly Height[],
): boolean => {
  const contradicting = others.filter((other) => isTooFarAbove({ number, time }, other));
  const supporting = others.filter((other) => other.number >= number - tolerance);
  return contradicting.length > supporting.length;
};

/** Throws if the final height that a node reports is above the node's own head, if the head is known. */
export const checkFinalHeight = (finalHeight: number, head: Pick<TimedHead, 'number'> | null | undefined): void => {
  if (head && finalHeight > head.number + tolerance)
    throw new NodeFault('wrong', 'reported a final block above its own head');
};

/** Finds the highest head that a chain can have reached among those of its nodes. */
export const createHighestHead = <Key, Found extends TimedHead>() => {
  /** Newest head of each node, because a slow node may have answered only an earlier poll. */
  const heads = new Map<Key, Found>();
  const isPossible = (head: Found) => {
    const others = [...heads.values()].filter((other) => other !== head);
    return !isImpossible(head, others);
  };
  return {
    /** Records the head of a node, and returns it. */
    note: (node: Key, head: Found): Found => {
      heads.set(node, head);
      return head;
    },
    of: (node: Key): Found | undefined => heads.get(node),
    /** Returns the first of the highest heads, so that two nodes on different forks do not cause repeated rollbacks. */
    highest: (polled: readonly Found[]): Found => {
      const [first, ...others] = polled.filter(isPossible);
      if (!first) return fail('NODE_ERROR', 'Chain nodes report a head that their chain cannot have reached.');
      return others.reduce((highest, other) => (other.number > highest.number ? other : highest), first);
    },
  };
};
