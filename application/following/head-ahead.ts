import type { Variant } from '../../domain/variant.js';
import type { ConfiguredChains } from '../ports/chains.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { readReached } from './progress/cursor-store.js';

/** Time that a command waits for nodes; without their answer the last head that the follower saw counts. */
const patienceMs = 1000;

/** Finds the height of a chain while its follower has not reached it; undefined when nothing is left to follow. */
export const createHeadAhead =
  ({ state, chains, system }: { state: StateStore; chains: ConfiguredChains; system: System }) =>
  async ({ tag }: Variant): Promise<number | undefined> => {
    const [reached, chain] = [await readReached(state, tag), chains.get(tag)?.chain];
    if (!reached || !chain) return undefined;
    const over = new AbortController();
    const asked = chain.head().catch(() => reached.head);
    const { number } = await Promise.race([asked, system.sleep(patienceMs, over.signal).then(() => reached.head)]);
    over.abort();
    return number > reached.tip.number ? number : undefined;
  };
