import type { Variant } from '../../domain/variant.js';
import type { ConfiguredChains } from '../ports/chains.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { readReached } from './progress/cursor-store.js';

/**
 * Maximum time in milliseconds that a command waits for the nodes. After that, the last head that the follower saw is
 * used.
 */
const timeoutMs = 1000;

/**
 * Creates a function that returns the height of the head while the follower is behind the head; undefined when the
 * follower has reached the head.
 */
export const createHeadAhead =
  ({ state, chains, system }: { state: StateStore; chains: ConfiguredChains; system: System }) =>
  async ({ tag }: Variant): Promise<number | undefined> => {
    const [reached, chain] = [await readReached(state, tag), chains.get(tag)?.chain];
    if (!reached || !chain) return undefined;
    const over = new AbortController();
    const asked = chain.head().catch(() => reached.head);
    const { number } = await Promise.race([asked, system.sleep(timeoutMs, over.signal).then(() => reached.head)]);
    over.abort();
    return number > reached.tip.number ? number : undefined;
  };
