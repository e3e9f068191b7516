import { keccak256 } from 'ethers';

type BloomedLog = { readonly address: string; readonly topics: readonly string[] };

/** Fixed bloom filters of a busy block, nearly full, and of a receipt. Computing real filters would take too long. */
export const blockBloom = `0x${'ffefdfcf'.repeat(64)}`;
export const receiptBloom = `0x${'00400000'.repeat(64)}`;
export const emptyBloom = `0x${'0'.repeat(512)}`;

/** Adds logs to a bloom filter, because a connector rejects a log that is not in the bloom filter of its block. */
export const bloomWith = (bloom: string, logs: readonly BloomedLog[]): string => {
  let bits = BigInt(bloom);
  for (const value of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const digest = keccak256(value);
    for (const at of [2, 6, 10]) bits |= 1n << (BigInt(`0x${digest.slice(at, at + 4)}`) % 2048n);
  }
  return `0x${bits.toString(16).padStart(512, '0')}`;
};
