import type { Head } from '../../../application/ports/node.js';

/** Head with the time of its block in Unix seconds; NaN when the node reports no time. */
export type TimedHead = Head & { readonly time: number };

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

/** Returns whether a final block is above the head of the node that reports it. */
export const isAboveHead = (finalHeight: number, head: Head | null): boolean =>
  head !== null && finalHeight > head.number + tolerance;
