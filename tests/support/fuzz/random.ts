/** Random choices that depend only on seed and case, so that a single case can be repeated on any machine. */
export type Random = {
  /** Draws an integer from 0 to n - 1. */
  below(n: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  bytes(length: number): Buffer;
};

const mix = (value: number) => {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

const word = 0x1_0000_0000;
const step = 0x9e3779b9;

export const randomOf = (seed: number, number: number): Random => {
  let state = mix(mix(seed) + Math.imul(number, step));
  const next = () => {
    state = (state + step) >>> 0;
    return mix(state);
  };
  const below = (n: number) => Math.floor((next() / word) * n);
  return {
    below,
    chance: (probability) => next() / word < probability,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    bytes: (length) => Buffer.from(Array.from({ length }, next)),
  };
};
