import { fail } from '../../domain/failure.js';
import { NodeFault } from './node-fault.js';

/** Height of a node's head. `time` is the time of the block in Unix seconds; NaN when the node reports no time. */
export type TimedHeight = { readonly number: number; readonly time: number };

/** Number of blocks per second that no chain exceeds. */
const maxBlocksPerSecond = 100;
/** Number of blocks that two nodes may be apart even if their blocks have the same time. */
const tolerance = 1000;
/** Seconds by which the clock of this host may be wrong. */
const maxClockError = 3600;

const latestPossibleTime = () => Date.now() / 1000 + maxClockError;

/**
 * Returns whether a chain cannot have produced the blocks between two heights in the time between them. False if the
 * time of the lower height is unknown or is not in seconds.
 */
const isTooFarAbove = (higher: TimedHeight, lower: TimedHeight): boolean => {
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
  others: readonly TimedHeight[],
): boolean => {
  const contradicting = others.filter((other) => isTooFarAbove({ number, time }, other));
  const supporting = others.filter((other) => other.number >= number - tolerance);
  return contradicting.length > supporting.length;
};

/** Throws if the final height that a node reports is above the node's own head, if the head is known. */
export const checkFinalHeight = (finalHeight: number, head: Pick<TimedHeight, 'number'> | null | undefined): void => {
  if (head && finalHeight > head.number + tolerance)
    throw new NodeFault('wrong', 'reported a final block above its own head');
};

/**
 * Creates a record of the heads of the nodes of a chain, which finds the heads that the chain can have reached.
 */
export const createHeadRecord = <Key, Found extends TimedHeight>() => {
  /** Newest head of each node, because a slow node may have answered only an earlier poll. */
  const heads = new Map<Key, Found>();
  const isPossible = (head: Found) => {
    const others = [...heads.values()].filter((other) => other !== head);
    return !isImpossible(head, others);
  };
  /** Returns the heads that the chain can have reached. Throws if there are none. */
  const possible = (polled: readonly Found[]): readonly [Found, ...Found[]] => {
    const [first, ...others] = polled.filter(isPossible);
    return first
      ? [first, ...others]
      : fail('NODE_ERROR', 'Chain nodes report only heads that their chain cannot have reached.');
  };
  return {
    /** Records the head of a node, and returns it. */
    note: (node: Key, head: Found): Found => {
      heads.set(node, head);
      return head;
    },
    of: (node: Key): Found | undefined => heads.get(node),
    possible,
    /** Returns the first of the highest heads, so that two nodes on different forks do not cause repeated rollbacks. */
    highest: (polled: readonly Found[]): Found =>
      possible(polled).reduce((highest, other) => (other.number > highest.number ? other : highest)),
  };
};
