import { fail } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { firstBlockSince } from '../following/blocks/first-block.js';
import { type Followed, readFollowed, readPosition } from '../following/progress/cursor-store.js';
import type { Chain } from '../ports/chain.js';
import type { Position } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';

/** Registration of an address, or of the last token that was imported for it. */
type Registration = {
  readonly position: Position;
  /** Time of the registration in Unix seconds. */
  readonly time: number;
};

/** Tolerated difference between the clocks of the chain and of this machine. */
const clockSkewSeconds = 10;

type Ports = { readonly state: StateStore; readonly chain: Chain };

/** Returns the last non-final block that was read before the follower knew of the registration. */
const searchPositions = async ({ state }: Ports, { tag }: Variant, followed: Followed, position: Position) => {
  let [before, after] = [followed.final.number, followed.tip.number + 1];
  while (after - before > 1) {
    const number = Math.floor((before + after) / 2);
    const found = await readPosition(state, tag, { chain: followed.chain, number });
    if (found !== null && found >= position) after = number;
    else before = number;
  }
  return before;
};

/**
 * Returns the last block that the follower may have read without the registration. Blocks near the end of the result may
 * have been followed, which is harmless: what is recorded already is not recorded again.
 */
export const lastUnfollowed = async (ports: Ports, variant: Variant, { position, time }: Registration) => {
  const followed = await readFollowed(ports.state, variant.tag);
  const { hash } = await ports.chain.genesis();
  if (followed?.chain !== hash)
    return fail('UNAVAILABLE', `Chain ${variant.tag} is not followed yet. Retry in a moment.`);
  const number = await (async () => {
    if (followed.finalPosition < position) return searchPositions(ports, variant, followed, position);
    // Blocks of a development chain may be made faster than their times allow, so that times do not order them.
    if (followed.isDevelopment) return followed.final.number;
    const byTime = (await firstBlockSince(ports.chain, followed.final.number, time + clockSkewSeconds + 1)) - 1;
    return Math.max(byTime, followed.since ?? 0);
  })();
  return { number, chain: hash };
};
