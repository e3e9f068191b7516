import { fail } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { firstBlockSince } from '../following/blocks/first-block.js';
import { type Followed, readFollowed, readPosition } from '../following/progress/cursor-store.js';
import { maxPathLength } from '../following/reorg-path.js';
import type { Chain } from '../ports/chain.js';
import type { Position } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';

/** Registration of an address, or of the last token that was imported for it. */
type Registration = {
  readonly position: Position;
  /** Time of the registration in Unix seconds. */
  readonly time: number;
};

/** Tolerated difference in seconds between the clocks of the chain and of this machine. */
const clockSkewSeconds = 10;

type Ports = { readonly state: StateStore; readonly chain: Chain };

/**
 * Returns the height of the last block that the follower may be reading without the registration. The follower records
 * its progress after it has read blocks, so it may be reading more blocks than it has recorded.
 */
const lastInReading = async ({ chain }: Ports, { tip }: Followed) => {
  const head = await chain.head();
  return Math.max(tip.number, Math.min(head.number, tip.number + maxPathLength));
};

/**
 * Returns the height of the last block that the follower read before the registration, found by binary search among
 * the non-final blocks. If the follower read all of these blocks after the registration, returns the height of the
 * final block.
 */
const searchPositions = async (ports: Ports, { tag }: Variant, followed: Followed, position: Position) => {
  let [before, after] = [followed.final.number, followed.tip.number + 1];
  while (after - before > 1) {
    const number = Math.floor((before + after) / 2);
    const found = await readPosition(ports.state, tag, { chain: followed.chain, number });
    if (found !== null && found >= position) after = number;
    else before = number;
  }
  return before === followed.tip.number ? lastInReading(ports, followed) : before;
};

/**
 * Returns the last block that the follower may have read before the registration. Importing a few blocks that the
 * follower has read is harmless, because no transfer is recorded twice.
 */
export const lastUnfollowed = async (ports: Ports, variant: Variant, { position, time }: Registration) => {
  const followed = await readFollowed(ports.state, variant.tag);
  const { hash } = await ports.chain.genesis();
  if (followed?.chain !== hash)
    return fail('UNAVAILABLE', `Chain ${variant.tag} is not followed yet. Retry in a moment.`);
  const number = await (async () => {
    if (followed.finalPosition < position) return searchPositions(ports, variant, followed, position);
    // Skips the search by block time on a development chain, which may mine many blocks with the same time.
    if (followed.isDevelopment) return followed.final.number;
    const byTime = (await firstBlockSince(ports.chain, followed.final.number, time + clockSkewSeconds + 1)) - 1;
    return Math.max(byTime, followed.since ?? 0);
  })();
  return { number, chain: hash };
};
