import { chains } from '../../domain/variant.js';
import type { Chain } from '../ports/chain.js';
import { noEntry, type StateStore } from '../ports/state.js';

const idOf = (variant: string) => `traced:${variant}`;
const [yes, no] = ['yes', 'no'];

/**
 * Wraps a chain so that it stores whether the nodes trace its blocks, for other processes to read. Stores the result
 * again whenever it changes.
 */
export const recordingTraces = (chain: Chain, state: StateStore, variant: string): Chain => {
  if (!chain.traced) return chain;
  let noted: boolean | null = null;
  const note = async (isTraced: boolean) => {
    const [entry, value] = [await state.get('processes', idOf(variant)), isTraced ? yes : no];
    // A concurrent write by another follower is harmless, because that follower uses the same nodes.
    if (entry?.value !== value) await state.put('processes', idOf(variant), value, entry?.revision ?? noEntry);
    noted = isTraced;
  };
  return {
    ...chain,
    block: async (hash, interest) => {
      const block = await chain.block(hash, interest);
      const isTraced = chain.traced?.() ?? null;
      if (isTraced !== null && isTraced !== noted) await note(isTraced);
      return block;
    },
  };
};

/** Returns for each followed chain whether its blocks are traced; chains without a stored result are omitted. */
export const tracedChains = async (state: StateStore): Promise<Readonly<Record<string, boolean>>> => {
  const found = await Promise.all(
    chains.map(async ({ tag }) => ({ tag, entry: await state.get('processes', idOf(tag)) })),
  );
  return Object.fromEntries(found.flatMap(({ tag, entry }) => (entry ? [[tag, entry.value === yes]] : [])));
};
