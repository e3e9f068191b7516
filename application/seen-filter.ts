/** 8 MB: of five million names that were never added it takes fewer than one in a hundred for added. */
const words = 2 ** 21;
const bits = words * 32;
const probes = 4;
const [firstSeed, secondSeed, prime] = [0x811c9dc5, 0x9747b28c, 0x01000193];

/** Tells for certain that a name was never added; that it was, only most likely. Its size does not grow. */
export const createSeenFilter = () => {
  const filter = new Uint32Array(words);
  const step = (name: string, each: (word: number, mask: number) => boolean) => {
    let [first, second] = [firstSeed, secondSeed];
    for (let i = 0; i < name.length; i++) {
      const code = name.charCodeAt(i);
      first = Math.imul(first ^ code, prime);
      second = Math.imul(second ^ code, firstSeed | 1) ^ (second >>> 15);
    }
    for (let probe = 0; probe < probes; probe++) {
      const bit = ((first + Math.imul(probe, second | 1)) >>> 0) % bits;
      if (!each(bit >>> 5, 1 << (bit & 31))) return false;
    }
    return true;
  };
  return {
    add: (name: string) => {
      step(name, (word, mask) => {
        filter[word] = (filter[word] ?? 0) | mask;
        return true;
      });
    },
    mayHave: (name: string) => step(name, (word, mask) => ((filter[word] ?? 0) & mask) !== 0),
  };
};
