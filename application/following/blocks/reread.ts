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

const lookMs = 1000;

/**
 * Reads blocks again that were left out, when a person wants it. Their transfers are recorded as if they had come in
 * time, and confirmed at once where the block is deep enough. A failure is recorded and keeps no other block waiting.
 */
export const createReread = ({ chain, watched, ledgers, records, system }: Ports, variant: string) => {
  let lookedAt = 0;

  const observe = async ({ number, hash, chain: first }: UnreadableBlockDocument) => {
    // A block that was replaced meanwhile moved nothing.
    if ((await chain.headerAt(number))?.hash !== hash) return;
    const found = await chain.block(hash, watched.interest);
    if (!found) throw new Error('no node has the block');
    await ledgers.observe(entriesOf(found, watched), { number, hash, time: found.time, chain: first });
  };
  const reread = async (document: UnreadableBlockDocument) => {
    const facts = { variant, height: document.number, hash: document.hash };
    const block = followedBlockOf(document);
    try {
      await observe(document);
      await records.record({ type: 'Read', data: { block } });
      system.log.info(facts, 'a block that was left out was read after all');
    } catch (error) {
      system.log.warn({ ...facts, err: error }, 'a block that was left out still cannot be read');
      await records.record({ type: 'LeaveOut', data: { block, reason: (error as Error).message } });
    }
  };

  return async ({ chain: first }: Cursor): Promise<void> => {
    if (system.now() - lookedAt < lookMs) return;
    lookedAt = system.now();
    for (const document of await records.retried()) if (document.chain === first) await reread(document);
  };
};
