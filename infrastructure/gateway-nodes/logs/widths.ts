/** Time for which a width that the nodes accepted is used without asking for more. */
const believedMs = 600_000;

const namesBlocks = /\brange\b|\bblocks\b/i;
const namesResults = /\bresults\b|\blogs\b|\bsize\b|\bbytes\b|time.?out/i;

/** Tells whether a refusal is about the number of blocks alone, whatever logs they hold. */
export const isAboutWidth = (message: string): boolean => {
  const text = message.replaceAll(/eth_getLogs/gi, '');
  return namesBlocks.test(text) && !namesResults.test(text);
};

/** Remembers for a while over how many blocks the nodes give logs at once. */
export const createWidths = (now = () => performance.now()) => {
  let widest: number | null = null;
  let learnedAt = 0;
  return {
    learn: (width: number) => {
      widest = width;
      learnedAt = now();
    },
    known: (): number | null => {
      if (widest !== null && now() - learnedAt > believedMs) widest = null;
      return widest;
    },
  };
};
