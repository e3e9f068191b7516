import assert from 'node:assert/strict';
import { createPrefetchedCheckpoints } from '../../../../infrastructure/chains/sui/prefetched-checkpoints.js';
import type { Checkpoint } from '../../../../infrastructure/chains/sui/wire.js';

const checkpointAt = (number: number, transactions: number, changes: number) =>
  ({
    sequenceNumber: BigInt(number),
    digest: `digest ${number}`,
    transactions: Array.from({ length: transactions }, () => ({ balanceChanges: Array(changes).fill({}) })),
  }) as unknown as Checkpoint;

/** Returns how many of a thousand checkpoints are kept. */
const keptOf = (transactions: number, changes: number) => {
  const prefetched = createPrefetchedCheckpoints();
  const numbers = Array.from({ length: 1000 }, (_, n) => n);
  for (const number of numbers) prefetched.add(checkpointAt(number, transactions, changes));
  return numbers.filter((number) => prefetched.at(number)).length;
};

describe('prefetched checkpoints of Sui', () => {
  it('are bounded by their transactions and balance changes together, at about 32 MiB', () => {
    const changeBytes = 250;
    const bytes = keptOf(1, 500) * 500 * changeBytes;
    assert.ok(bytes > 0 && bytes <= 32 * 1024 * 1024, `${bytes} bytes`);
  });

  it('include hundreds of checkpoints of a busy network', () => {
    assert.ok(keptOf(40, 3) >= 256);
  });
});
