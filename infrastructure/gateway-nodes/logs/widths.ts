/** Milliseconds for which a learned width is used before a wider range is tried again. */
const ttlMs = 600_000;

const namesBlocks = /\brange\b|\bblocks\b/i;
const namesResults = /\bresults\b|\blogs\b|\bsize\b|\bbytes\b|time.?out/i;

/** Returns whether an error is about the number of blocks alone, independent of the logs in them. */
export const isAboutWidth = (message: string): boolean => {
  const text = message.replaceAll(/eth_getLogs/gi, '');
  return namesBlocks.test(text) && !namesResults.test(text);
};

/** Creates a cache for the maximum number of blocks for which the nodes return logs in one call. */
export const createWidths = (now = () => performance.now()) => {
  let widest: number | null = null;
  let learnedAt = 0;
  return {
    learn: (width: number) => {
      widest = width;
      learnedAt = now();
    },
    known: (): number | null => {
      if (widest !== null && now() - learnedAt > ttlMs) widest = null;
      return widest;
    },
  };
};
