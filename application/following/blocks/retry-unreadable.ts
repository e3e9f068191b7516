import type { UnreadableBlockDocument } from '../../../projections/unreadable-blocks.js';
import type { Block, Chain } from '../../ports/chain.js';
import type { System } from '../../ports/system.js';
import type { WatchList } from '../../watch-list/watch-list.js';
import { isReplaced } from '../activity-tasks.js';
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
  /**
   * Stores the token accounts of a block that could not be verified, so that the block is read again for these
   * accounts.
   */
  readonly defer: (block: Block) => Promise<void>;
};

type Outcome = { readonly block: Block | null } | { readonly error: Error };
/** Attempt to read a block. `outcome` is null until the nodes have answered. */
type Attempt = {
  readonly document: UnreadableBlockDocument;
  /**
   * Object `activities` of the watch list when the read began. If the watch list was reloaded meanwhile, which replaces
   * the object, the block is read once more.
   */
  readonly readFor: WatchList['activities'];
  outcome: Outcome | null;
};

const pollIntervalMs = 1000;

/**
 * Returns the block, or null if another block has replaced it: the transfers of a replaced block do not count.
 */
const readAgain = async ({ chain, watched }: Ports, { number, hash }: UnreadableBlockDocument) => {
  const absent = () => new Error(`No node has block ${number} (${hash}).`);
  const header = await chain.headerAt(number);
  // A missing header does not show that the block was replaced: the nodes may lag or have pruned the block.
  if (!header) throw absent();
  if (header.hash !== hash) return null;
  const block = await chain.block(hash, watched.interest);
  if (!block) throw absent();
  return block;
};

/**
 * Creates a function that reads unreadable blocks again when an operator requests a retry. The transfers of these
 * blocks are recorded as usual, and confirmed at once if the block is deep enough. Blocks are read one at a time in
 * parallel with the follower's cycles, because a node may hang for as long as its timeout. Outcomes are recorded within
 * a cycle, in which the watch list is complete.
 */
export const createUnreadableRetry = (ports: Ports, variant: string) => {
  const { watched, ledgers, records, system, defer } = ports;
  let attempt: Attempt | null = null;
  let polledAt = 0;

  const begin = (document: UnreadableBlockDocument) => {
    const begun: Attempt = { document, readFor: watched.activities, outcome: null };
    attempt = begun;
    readAgain(ports, document).then(
      (block) => {
        begun.outcome = { block };
      },
      (error: Error) => {
        begun.outcome = { error };
      },
    );
  };
  const observe = async ({ chain: first }: UnreadableBlockDocument, block: Block) => {
    const { number, hash, time } = block;
    await ledgers.observe(entriesOf(block, watched), { number, hash, time, chain: first });
    await defer(block);
  };
  const record = async (document: UnreadableBlockDocument, outcome: Outcome) => {
    const fields = { variant, height: document.number, hash: document.hash };
    const block = followedBlockOf(document);
    if ('block' in outcome) {
      if (outcome.block) await observe(document, outcome.block);
      await records.record({ type: 'Read', data: { block } });
      system.log.info(
        fields,
        outcome.block ? 'Block that was left out was read after all' : 'Block that was left out was replaced',
      );
    } else {
      system.log.warn(
        { ...fields, err: outcome.error },
        'Block that was left out still cannot be read; run chainfold chain retry to try again',
      );
      await records.record({ type: 'LeaveOut', data: { block, reason: outcome.error.message } });
    }
  };
  /** Records the outcome of an attempt; returns false while the nodes have not answered. */
  const finish = async (cursor: Cursor) => {
    if (!attempt) return true;
    const { document, readFor, outcome } = attempt;
    if (!outcome) return false;
    const isOff = isReplaced(cursor, { block: document });
    // Records the outcome only if the watch list was not reloaded meanwhile. After a reload, transfers may be missing,
    // so the block is read once more.
    if (readFor === watched.activities) await record(document, isOff ? { block: null } : outcome);
    attempt = null;
    return true;
  };

  return async (cursor: Cursor): Promise<void> => {
    if (!(await finish(cursor)) || system.now() - polledAt < pollIntervalMs) return;
    polledAt = system.now();
    const next = await records.nextRetry(cursor.chain);
    if (next) begin(next);
  };
};
