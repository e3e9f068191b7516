import type { FollowedBlock } from '../../../domain/aggregates/chain/block.js';
import { fail } from '../../../domain/failure.js';
import { chains as chainVariants, type Variant } from '../../../domain/variant.js';
import type { UnreadableBlockDocument } from '../../../projections/unreadable-blocks.js';
import type { Done, Handle, Operation } from '../../commands/handle.js';
import type { Chains } from '../../ports/chains.js';
import type { Streams } from '../../ports/event-store.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import { type Reached, readReached } from '../progress/cursor-store.js';
import { createBlockRecords, followedBlockOf, leftOut } from './block-records.js';
import { replacedSince } from './replaced-activities.js';

/** Final block that the nodes no longer have, and what accepting its replacement would change. */
type Replacement = {
  readonly block: FollowedBlock;
  readonly replacement: string;
  readonly from: number;
  /** Wallets and blocks whose transfers would be removed. */
  readonly activities: number;
};

type Ports = {
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly state: StateStore;
  readonly chains: Chains;
  readonly system: System;
};

/** Decisions of a person about single blocks of followed chains. */
export type ChainBlocks = ReturnType<typeof createChainBlocks>;

/** Lists the blocks of all chains that were left out. */
export const everyLeftOut = async (readModels: ReadModels) => {
  const found: (UnreadableBlockDocument & { readonly tag: string })[] = [];
  for (const variant of chainVariants)
    for (const document of await leftOut(readModels, variant)) found.push({ ...document, tag: variant.tag });
  return found;
};

export const createChainBlocks = (ports: Ports) => {
  const { readModels, state, chains } = ports;

  const lookAtFinal = async (variant: Variant, from: number, { chain: followed, final }: Reached) => {
    const chain = chains.of(variant);
    const { number, hash } = final;
    if (from > number) fail('INVALID_ARGUMENT', `the final block is ${number}; later ones need no acceptance`);
    const replacement = (await chain.headerAt(number)) ?? fail('NODE_ERROR', `no node has a block ${number}`);
    if (replacement.hash === hash) fail('FAILED_PRECONDITION', `the final block ${number} was not replaced`);
    const { length } = await replacedSince({ ...ports, chain }, variant.tag, { from, chain: followed });
    return { block: { number, hash, chain: followed }, replacement: replacement.hash, from, activities: length };
  };
  /** Compares the final block with the one that the nodes have; for block 0 the first blocks of the two chains. */
  const look = async (variant: Variant, from: number): Promise<Replacement> => {
    const reached = (await readReached(state, variant.tag)) ?? fail('NOT_FOUND', 'this chain was never followed');
    const { hash: served } = await chains.of(variant).genesis();
    const { chain: followed } = reached;
    const isOther = served !== followed;
    if (from > 0 && !isOther) return lookAtFinal(variant, from, reached);
    if (!isOther) return fail('FAILED_PRECONDITION', 'the nodes serve the chain that is followed');
    if (from > 0) return fail('FAILED_PRECONDITION', 'the nodes serve another chain; block 0 is the one to accept');
    return { block: { number: 0, hash: followed, chain: followed }, replacement: served, from, activities: 0 };
  };

  return {
    look,
    /** Accepts what `look` showed; the follower goes back at its next turn. */
    accept: async (by: Operation, variant: Variant, found: Replacement): Promise<Done<Replacement>> => {
      const { block, replacement, from } = found;
      const { record } = createBlockRecords(ports, variant);
      return { answer: found, position: await record({ type: 'Accept', data: { block, replacement, from } }, by) };
    },
    /** Asks the follower to read a block again that it left out; `wanted` is its height or its hash. */
    retry: async (by: Operation, variant: Variant, wanted: string): Promise<Done<UnreadableBlockDocument>> => {
      const found = (await leftOut(readModels, variant)).find(
        ({ number, hash }) => String(number) === wanted || hash === wanted,
      );
      const document = found ?? fail('NOT_FOUND', `block ${wanted} was not left out`);
      const { record } = createBlockRecords(ports, variant);
      const position = await record({ type: 'Retry', data: { block: followedBlockOf(document) } }, by);
      return { answer: document, position };
    },
  };
};
