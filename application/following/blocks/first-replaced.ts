import { transfers } from '../../../projections/transfers.js';
import type { Chain } from '../../ports/chain.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import { documentsOfAllOwners } from '../../read-models/scan-owners.js';
import { maxHeaders } from '../cursor.js';
import { readFollowedHeader } from '../progress/cursor-store.js';
import { inclusionsOf } from './replaced-activities.js';

type Ports = {
  readonly chain: Chain;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly system: System;
};
type HashAt = (height: number) => Promise<string | null | undefined>;

/**
 * Returns the lowest of the ascending `heights` at which the known block was replaced; null if the block at the highest
 * of these heights was not replaced.
 */
const lowestReplaced = async (chain: Chain, heights: readonly number[], hashAt: HashAt) => {
  const isReplaced = async (place: number) => {
    const height = heights[place] as number;
    const [known, found] = [await hashAt(height), await chain.headerAt(height)];
    // Counts a block that the nodes have pruned as not replaced, because it is older than any fork.
    return Boolean(known && found && found.hash !== known);
  };
  let [kept, replaced] = [-1, heights.length - 1];
  if (replaced < 0 || !(await isReplaced(replaced))) return null;
  while (replaced - kept > 1) {
    const middle = Math.floor((kept + replaced) / 2);
    if (await isReplaced(middle)) replaced = middle;
    else kept = middle;
  }
  return heights[replaced] as number;
};

/** Returns the hashes, by height, of the blocks below `height` in which transfers are recorded. */
const recordedBelow = async (ports: Ports, variant: string, height: number) => {
  const hashes = new Map<number, string>();
  for await (const { document } of documentsOfAllOwners(ports, transfers, variant))
    for (const { block_number: number, block_hash: hash } of inclusionsOf(document))
      if (number < height) hashes.set(number, hash);
  return hashes;
};

/**
 * Finds the lowest block below `from` that was followed and then replaced; null if there is none. Headers are kept for
 * the newest followed blocks only. An older block is known and checked only if transfers are recorded in it.
 */
export const findReplacedBelow = async (
  ports: Ports,
  variant: string,
  { from, chain: first }: { readonly from: number; readonly chain: string },
): Promise<number | null> => {
  const followedAt: HashAt = async (number) =>
    (await readFollowedHeader(ports.state, variant, { chain: first, number }))?.hash;
  if (await followedAt(from - 1)) {
    const lowest = Math.max(0, from - maxHeaders);
    const heights = Array.from({ length: from - lowest }, (_, i) => lowest + i);
    return lowestReplaced(ports.chain, heights, followedAt);
  }
  const recorded = await recordedBelow(ports, variant, from);
  const heights = [...recorded.keys()].toSorted((a, b) => a - b);
  return lowestReplaced(ports.chain, heights, async (height) => recorded.get(height));
};
