import { keccak256 } from 'ethers/crypto';
import type { Pace } from '../../pace.js';

/** Log bloom filter: 2048 bits, of which each contract address and each topic sets three. */

type BloomedLog = { readonly address: string; readonly topics?: unknown };

const size = 256;
const textLength = 2 + size * 2;
const nothing = `0x${'00'.repeat(size)}`;
const everything = `0x${'ff'.repeat(size)}`;

/**
 * Returns a usable bloom filter; null for a placeholder of a node that computes no filters: absent, `0x` or all ones.
 */
export const bloomIn = (value: unknown): string | null =>
  typeof value === 'string' && value.length === textLength && value.toLowerCase() !== everything ? value : null;

export const announcesLogs = (value: unknown): boolean => {
  const bloom = value === nothing ? null : bloomIn(value);
  return bloom !== null && bloom !== nothing;
};

const bytesIn = (text: string) => Buffer.from(text.slice(2), 'hex');

const bitsOf = (value: string): readonly number[] => {
  const digest = bytesIn(keccak256(bytesIn(value)));
  return [0, 2, 4].map((at) => digest.readUInt16BE(at) % (size * 8));
};

const valuesOf = ({ address, topics }: BloomedLog) => [
  address,
  ...(Array.isArray(topics) ? topics.filter((topic) => typeof topic === 'string') : []),
];

/** Computes the bloom filter of logs. Repeated values are hashed once, because hashing dominates the cost. */
const bloomOf = async (logs: readonly BloomedLog[], pace: Pace): Promise<Uint8Array> => {
  const bloom = new Uint8Array(size);
  const known = new Set<string>();
  for (const value of logs.flatMap(valuesOf)) {
    if (known.has(value)) continue;
    known.add(value);
    for (const bit of bitsOf(value)) {
      const byte = size - 1 - (bit >> 3);
      bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
    }
    if (pace.isDue()) await pace.breathe();
  }
  return bloom;
};

/** Returns whether the bloom filter has every bit of a log. If not, the filter excludes the log. */
export const announces = async (bloom: string, log: BloomedLog, pace: Pace): Promise<boolean> => {
  const given = bytesIn(bloom);
  return (await bloomOf([log], pace)).every((byte, i) => (byte & (given[i] ?? 0)) === byte);
};

/**
 * Returns whether every bit of the bloom filter comes from one of the logs. If not, the filter announces further logs.
 */
export const isExplained = async (bloom: string, logs: readonly BloomedLog[], pace: Pace): Promise<boolean> => {
  const made = await bloomOf(logs, pace);
  return bytesIn(bloom).every((byte, i) => (byte & (made[i] ?? 0)) === byte);
};
