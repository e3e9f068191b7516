import { type BlockCommand, block, type FollowedBlock } from '../../../domain/aggregates/chain/block.js';
import type { Variant } from '../../../domain/variant.js';
import { scopeOf, systemOwner } from '../../../projections/define.js';
import { type UnreadableBlockDocument, unreadableBlocks } from '../../../projections/unreadable-blocks.js';
import { type Handle, type Operation, step } from '../../commands/handle.js';
import { readAggregate } from '../../commands/read-aggregate.js';
import type { Streams } from '../../ports/event-store.js';
import type { PageKey, ReadModels } from '../../ports/read-models.js';

type Ports = { readonly events: Streams; readonly readModels: ReadModels; readonly handle: Handle };

const atOnce = 100;

export const followedBlockOf = ({ number, hash, chain }: UnreadableBlockDocument): FollowedBlock => ({
  number,
  hash,
  chain,
});

/**
 * Lists the blocks of a chain that were left out as unreadable and have not been read since, newest first.
 */
export const unreadBlocks = async (readModels: ReadModels, { tag }: Variant): Promise<UnreadableBlockDocument[]> => {
  const found: UnreadableBlockDocument[] = [];
  let after: PageKey | undefined;
  do {
    const query = { index: 'all', equal: [], limit: atOnce, after };
    const page = await readModels.page(unreadableBlocks, scopeOf(systemOwner, tag), query);
    found.push(...page.documents);
    after = page.next ?? undefined;
  } while (after);
  return found;
};

/**
 * Creates functions that store events about single blocks of a chain, and read the state of such blocks. These events
 * belong to no organization.
 */
export const createBlockRecords = ({ events, readModels, handle }: Ports, variant: Variant) => {
  const keyOf = ({ hash }: Pick<FollowedBlock, 'hash'>) => `${variant.tag}.${hash}`;
  const byFollower = (hash: string): Operation => ({
    actor: { kind: 'process', id: 'follower' },
    requestId: `block ${hash}`,
  });
  const record = (command: BlockCommand, by: Operation = byFollower(command.data.block.hash)) =>
    handle({ ...by, organizationId: systemOwner, variant }, [
      step(block, systemOwner, keyOf(command.data.block), command),
    ]);
  const first = async (index: 'byRetry' | 'byBalances') => {
    const query = { index, equal: ['yes'], limit: atOnce, oldestFirst: true };
    return (await readModels.page(unreadableBlocks, scopeOf(systemOwner, variant.tag), query)).documents;
  };
  const read = (hash: string) => readAggregate(events, block, systemOwner, keyOf({ hash }));
  return {
    record,
    /** Returns the lowest block of a chain that an operator asked to read again; null if there is no such block. */
    nextRetry: async (chain: string) => {
      // Reads the event stream too, because the read model may still list a block whose retry has just ended.
      for (const document of await first('byRetry'))
        if (document.chain === chain && (await read(document.hash)).reading === 'retried') return document;
      return null;
    },
    /** Lists unreadable blocks for which balances are still to be read from the chain. */
    balancesDue: () => first('byBalances'),
    /** Returns the replacement that an operator accepted for a block; null if none was accepted. */
    accepted: async (hash: string) => (await read(hash)).accepted,
  };
};
export type BlockRecords = ReturnType<typeof createBlockRecords>;
