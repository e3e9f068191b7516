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
import { createBlockRecords, followedBlockOf, unreadBlocks } from './block-records.js';
import { findReplacedBelow } from './first-replaced.js';
import { replacedSince } from './replaced-activities.js';

/** Final block that the nodes no longer have, and the effect of accepting its replacement. */
type Replacement = {
  readonly block: FollowedBlock;
  readonly replacement: string;
  readonly from: number;
  /** Number of activities (pairs of wallet and block) whose transfers would be removed. */
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

/** Decisions of an operator about single blocks of followed chains. */
export type ChainBlocks = ReturnType<typeof createChainBlocks>;

/** Lists the unreadable blocks of all chains. */
export const allUnreadBlocks = async (readModels: ReadModels) => {
  const found: (UnreadableBlockDocument & { readonly tag: string })[] = [];
  for (const variant of chainVariants)
    for (const document of await unreadBlocks(readModels, variant)) found.push({ ...document, tag: variant.tag });
  return found;
};

export const createChainBlocks = (ports: Ports) => {
  const { readModels, state, chains } = ports;

  const inspectFinal = async (variant: Variant, from: number, { chain: followed, final }: Reached) => {
    const chain = chains.of(variant);
    const { number, hash } = final;
    if (from > number)
      fail('INVALID_ARGUMENT', `Block ${from} is above the final block ${number}: later blocks need no acceptance.`);
    const replacement = (await chain.headerAt(number)) ?? fail('NODE_ERROR', `No node has block ${number}.`);
    if (replacement.hash === hash) fail('FAILED_PRECONDITION', `The final block ${number} was not replaced.`);
    const lower = await findReplacedBelow({ ...ports, chain }, variant.tag, { from, chain: followed });
    if (lower !== null)
      fail(
        'INVALID_ARGUMENT',
        `Block ${lower} was replaced too. Accept block ${lower} or a lower one instead of ${from}.`,
      );
    const { length } = await replacedSince({ ...ports, chain }, variant.tag, { from, chain: followed });
    return { block: { number, hash, chain: followed }, replacement: replacement.hash, from, activities: length };
  };
  /**
   * Compares the final block with the nodes' block at the same height or, if `from` is 0, the first block of the
   * followed chain with the first block of the nodes' chain. Rejects if the block was not replaced.
   */
  const inspect = async (variant: Variant, from: number): Promise<Replacement> => {
    const reached =
      (await readReached(state, variant.tag)) ?? fail('NOT_FOUND', `Chain ${variant.tag} was never followed.`);
    const { hash: served } = await chains.of(variant).genesis();
    const { chain: followed } = reached;
    const isOther = served !== followed;
    if (from > 0 && !isOther) return inspectFinal(variant, from, reached);
    if (!isOther)
      return fail(
        'FAILED_PRECONDITION',
        'The nodes already serve the followed chain, so there is no other chain to accept.',
      );
    if (from > 0) return fail('FAILED_PRECONDITION', 'The nodes serve another chain. Accept block 0 instead.');
    return { block: { number: 0, hash: followed, chain: followed }, replacement: served, from, activities: 0 };
  };

  return {
    inspect,
    /** Accepts the replacement that `inspect` returned; the follower rolls back in its next cycle. */
    accept: async (by: Operation, variant: Variant, found: Replacement): Promise<Done<Replacement>> => {
      const { block, replacement, from } = found;
      const { record } = createBlockRecords(ports, variant);
      return { answer: found, position: await record({ type: 'Accept', data: { block, replacement, from } }, by) };
    },
    /** Asks the follower to read an unreadable block again; `wanted` is the height or the hash. */
    retry: async (by: Operation, variant: Variant, wanted: string): Promise<Done<UnreadableBlockDocument>> => {
      const found = (await unreadBlocks(readModels, variant)).find(
        ({ number, hash }) => String(number) === wanted || hash === wanted,
      );
      const document =
        found ?? fail('NOT_FOUND', `Block ${wanted} is not among the unreadable blocks of chain ${variant.tag}.`);
      const { record } = createBlockRecords(ports, variant);
      const position = await record({ type: 'Retry', data: { block: followedBlockOf(document) } }, by);
      return { answer: document, position };
    },
  };
};
