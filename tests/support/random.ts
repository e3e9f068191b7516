import { createHash } from 'node:crypto';

export type Random = ReturnType<typeof createRandom>;

/** Makes a random generator whose draws depend only on seed and name (mulberry32). */
export const createRandom = (seed: number, name: string) => {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE();
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    between: (min: number, max: number): number => min + below(max - min + 1),
    pick: <T>(some: readonly T[]): T => some[below(some.length)] as T,
    /** Draws a name with a probability in proportion to its weight. */
    weighted: <K extends string>(weights: Readonly<Record<K, number>>): K => {
      const names = (Object.keys(weights) as K[]).flatMap((name) => Array<K>(weights[name]).fill(name));
      return names[below(names.length)] as K;
    },
    address: (): string => `0x${Array.from({ length: 40 }, () => below(16).toString(16)).join('')}`,
  };
};
