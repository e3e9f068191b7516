/** Returns eight pseudo-random hex digits, the same in every run and every process. */
const word = (seed: number, index: number) => {
  let mixed = Math.imul(seed ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0).toString(16).padStart(8, '0');
};
const hexOf = (words: number, kind: number, index: number) => {
  let text = '0x';
  for (let i = 0; i < words; i++) text += word(kind * 7919 + i * 104_729, index);
  return text;
};

export const watchedAddress = (index: number): string => hexOf(5, 1, index);
/** Generates an address of 32 bytes, the maximum length. */
export const longAddress = (index: number): string => hexOf(8, 1, index);
export const strangersAddress = (index: number): string => hexOf(5, 2, index);
/** Generates a hash. Hashes of different chains differ. */
export const hashOf = (kind: string, chain: number, index: number): string =>
  hexOf(8, 10 + kind.length * 31 + kind.charCodeAt(0) + chain * 1009, index);
export const bytesOf = (words: number, index: number): string => hexOf(words, 5, index);
/** Generates the address of a token contract. The contract with index 0 is followed. */
export const tokenContract = (index: number): string => hexOf(5, 4, index);
