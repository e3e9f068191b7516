/**
 * Milliseconds after which a lower height is accepted if only lower heights were seen in that time: the chain may have
 * become shorter.
 */
const acceptLowerAfterMs = 60_000;
/** Represents an unknown height, for example before any height was returned to a caller. */
export const unknownHeight = -1;

/**
 * Creates a tracker for the height that was last returned to callers, so that later answers do not contain a lower one.
 */
export const createAnnouncedHeight = () => {
  let height = unknownHeight;
  /** Time since which nodes have reported only lower heights; null when the last reported height was not lower. */
  let lowerSince: number | null = null;

  const isOver = () => lowerSince !== null && performance.now() - lowerSince >= acceptLowerAfterMs;
  return {
    /** Returns the lowest height that may be returned to a caller; -1 for no bound. */
    bound: (): number => (isOver() ? unknownHeight : height),
    /** Records a height that a node reported. */
    see: (found: number): void => {
      if (found >= height) lowerSince = null;
      else lowerSince ??= performance.now();
    },
    /** Sets the height that was returned to callers. Returns whether it changed. */
    set: (found: number): boolean => {
      const hasMoved = found !== height;
      height = found;
      lowerSince = null;
      return hasMoved;
    },
  };
};
