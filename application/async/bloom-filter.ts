/** Size of the filter: 8 MiB. With this many names added, the false positive rate is below 1 %. */
export const bloomCapacity = 5_000_000;
const words = 2 ** 21;
const bits = words * 32;
const probes = 4;
const [seed, prime, mixer] = [0x811c9dc5, 0x01000193, 0x2c1b3c6d];

/** Returns a 32-bit hash of a name (FNV-1a). */
export const hashOf = (name: string) => {
  let hash = seed;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), prime);
  return hash;
};
/** Returns the distance between the probed bits of a name. */
const strideOf = (hash: number) => Math.imul(hash ^ (hash >>> 15), mixer) | 1;

/** Creates a Bloom filter of fixed size: `mayHave` is false only for names that were never added. */
export const createBloomFilter = () => {
  const filter = new Uint32Array(words);
  const wordAt = (bit: number) => filter[bit >>> 5] ?? 0;
  const maskOf = (bit: number) => 1 << (bit & 31);
  return {
    add: (name: string) => {
      const hash = hashOf(name);
      for (let probe = 0, bit = hash; probe < probes; probe++, bit += strideOf(hash)) {
        const at = bit & (bits - 1);
        filter[at >>> 5] = wordAt(at) | maskOf(at);
      }
    },
    mayHave: (name: string) => {
      const hash = hashOf(name);
      for (let probe = 0, bit = hash; probe < probes; probe++, bit += strideOf(hash)) {
        const at = bit & (bits - 1);
        if ((wordAt(at) & maskOf(at)) === 0) return false;
      }
      return true;
    },
  };
};
