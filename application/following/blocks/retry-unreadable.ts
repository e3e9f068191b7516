import type { UnreadableBlockDocument } from '../../../projections/unreadable-blocks.js';
import type { Chain } from '../../ports/chain.js';
import type { System } from '../../ports/system.js';
import type { WatchList } from '../../watch-list/watch-list.js';
import { entriesOf } from '../block-entries.js';
import type { Cursor } from '../cursor.js';
import type { LedgerWriter } from '../ledger-writer.js';
import { type BlockRecords, followedBlockOf } from './block-records.js';

type Ports = {
  readonly chain: Chain;
  readonly watched: WatchList;
  readonly ledgers: LedgerWriter;
  readonly records: BlockRecords;
  readonly system: System;
};

const pollIntervalMs = 1000;

/**
 * Reads unreadable blocks again when an operator asks for it. Their transfers are recorded as usual, and confirmed at
 * once if the block is deep enough. A failure is recorded and delays no other block.
 */
export const createUnreadableRetry = ({ chain, watched, ledgers, records, system }: Ports, variant: string) => {
  let polledAt = 0;

  const observe = async ({ number, hash, chain: first }: UnreadableBlockDocument) => {
    // A block that was replaced meanwhile has no transfers.
    if ((await chain.headerAt(number))?.hash !== hash) return;
    const found = await chain.block(hash, watched.interest);
    if (!found) throw new Error(`No node has block ${number} (${hash}).`);
    await ledgers.observe(entriesOf(found, watched), { number, hash, time: found.time, chain: first });
  };
  const reread = async (document: UnreadableBlockDocument) => {
    const fields = { variant, height: document.number, hash: document.hash };
    const block = followedBlockOf(document);
    try {
      await observe(document);
      await records.record({ type: 'Read', data: { block } });
      system.log.info(fields, 'Unreadable block was read after all');
    } catch (error) {
      system.log.warn({ ...fields, err: error }, 'Unreadable block still cannot be read');
      await records.record({ type: 'LeaveOut', data: { block, reason: (error as Error).message } });
    }
  };

  return async ({ chain: first }: Cursor): Promise<void> => {
    if (system.now() - polledAt < pollIntervalMs) return;
    polledAt = system.now();
    for (const document of await records.retried()) if (document.chain === first) await reread(document);
  };
};
