/** Milliseconds for which only lower heights must be seen before one is accepted: the chain may have become shorter. */
const acceptLowerAfterMs = 60_000;
/** Height before any height was returned to a caller. */
export const unknownHeight = -1;

/** Tracks a height that was returned to callers, so that later answers do not go back. */
export const createAnnouncedHeight = () => {
  let height = unknownHeight;
  /** Time since which only lower heights were seen; null when the height itself was seen last. */
  let lowerSince: number | null = null;

  const isOver = () => lowerSince !== null && performance.now() - lowerSince >= acceptLowerAfterMs;
  return {
    /** Returns the height below which no answer may be; -1 for no bound. */
    bound: (): number => (isOver() ? unknownHeight : height),
    /** Records a height that a node reported. */
    see: (found: number): void => {
      if (found >= height) lowerSince = null;
      else lowerSince ??= performance.now();
    },
    /** Replaces the height. Returns whether it changed. */
    set: (found: number): boolean => {
      const hasMoved = found !== height;
      height = found;
      lowerSince = null;
      return hasMoved;
    },
  };
};
