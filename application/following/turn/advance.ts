import type { Variant } from '../../../domain/variant.js';
import type { Block, Chain, Header } from '../../ports/chain.js';
import type { EventStore, Position } from '../../ports/event-store.js';
import type { System } from '../../ports/system.js';
import type { WatchList } from '../../watch-list/watch-list.js';
import { entriesOf } from '../block-entries.js';
import type { BlockRecords } from '../blocks/block-records.js';
import { type Fetched, fetchInOrder, reasonOf } from '../blocks/fetch-blocks.js';
import type { UnreadableTracker } from '../blocks/unreadable-tracker.js';
import { type Cursor, finalizedAt, roomIn, tipOf, withBlock } from '../cursor.js';
import type { LedgerWriter } from '../ledger-writer.js';
import type { Notifier } from '../notify.js';
import type { CursorStore } from '../progress/cursor-store.js';
import { DeepReorganization, findPath } from '../reorg-path.js';
import { createUndoReorganization } from '../undo-reorganization.js';
import { OtherChain } from './resume.js';

type Ports = {
  readonly chain: Chain;
  readonly events: EventStore;
  readonly watched: WatchList;
  readonly ledgers: LedgerWriter;
  readonly notifier: Notifier;
  readonly system: System;
  readonly store: CursorStore;
  readonly records: BlockRecords;
  readonly unreadable: UnreadableTracker;
  readonly settle: (cursor: Cursor) => Promise<void>;
  /**
   * Reads blocks again: unreadable blocks that an operator asked to retry, and blocks that may contain transfers of
   * token accounts that were found only after the blocks were read.
   */
  readonly reread: (cursor: Cursor) => Promise<void>;
  /**
   * Stores the token accounts of a block that could not be verified, so that the block is read again for these
   * accounts.
   */
  readonly defer: (block: Block) => Promise<void>;
  /**
   * Returns the cursor to continue from after a final block was replaced; null if no operator has accepted the
   * replacement.
   */
  readonly undoDeepReorganization: (cursor: Cursor) => Promise<Cursor | null>;
  /** Records that a block was processed, which distinguishes a follower that catches up from a stuck follower. */
  readonly moved: () => void;
};

const savedEvery = 32;

/** Creates the part of a cycle that reads blocks and records their effects on wallets. */
const createTake = (ports: Ports, variant: Variant) => {
  const { chain, watched, ledgers, records, unreadable, system, store, defer, moved } = ports;

  /**
   * Leaves out a block that no node returned within the timeout; returns false while the follower has to wait for the
   * block.
   */
  const leaveOut = async ({ chain: first }: Cursor, fetched: Fetched) => {
    if (!unreadable.hasTimedOut(fetched.header)) return false;
    const { number, hash } = fetched.header;
    const reason = reasonOf(fetched);
    await records.record({ type: 'LeaveOut', data: { block: { number, hash, chain: first }, reason } });
    const fields = { variant: variant.tag, height: number, hash, reason };
    system.log.error(fields, 'Block could not be read and was left out');
    return true;
  };
  const observe = async ({ chain: first }: Cursor, block: Block) => {
    const { number, hash, time } = block;
    await ledgers.observe(entriesOf(block, watched), { number, hash, time, chain: first });
    await defer(block);
  };
  return async (from: Cursor, add: readonly Header[], position: Position) => {
    let cursor = from;
    let taken = 0;
    unreadable.forgetUpTo(tipOf(from).number);
    unreadable.pauseExcept(add);
    // Takes no more blocks than fit into the cursor. Headers are dropped only after a settlement, so the cursor fills
    // up while settlements fail.
    const some = add.slice(0, Math.max(0, roomIn(from)));
    for await (const fetched of fetchInOrder(chain, some, watched.interest, unreadable.failed)) {
      if (fetched.block) await observe(cursor, fetched.block);
      else if (!(await leaveOut(cursor, fetched))) return { cursor, failure: fetched.error };
      cursor = withBlock(cursor, fetched.header, position);
      moved();
      if (++taken % savedEvery === 0) await store.save(cursor);
    }
    return { cursor, failure: null };
  };
};

/**
 * Creates the function that runs one cycle of a follower. A cycle processes blocks up to the head, but at most as many
 * as `findPath` returns.
 */
export const createAdvance = (ports: Ports, variant: Variant) => {
  const { chain, events, watched, unreadable, system, store, settle, reread, undoDeepReorganization } = ports;
  const undoReorganization = createUndoReorganization({ ...ports, system, save: store.save }, variant.tag);

  const take = createTake(ports, variant);
  /**
   * Throws OtherChain if the head is below the final block and the nodes serve another chain. Nodes that serve the
   * followed chain merely lag.
   */
  const checkChain = async ({ chain: followed, headers }: Cursor, head: Header) => {
    if (head.number >= (headers[0] as Header).number) return;
    const { hash } = await chain.genesis();
    if (hash !== followed) throw new OtherChain(followed, hash);
  };

  /** Finds the path to the head, after rolling back if an operator accepted the replacement of a final block. */
  const findWay = async (from: Cursor) => {
    const head = await (chain.followedHead ?? chain.head)();
    await checkChain(from, head);
    try {
      return { known: from, head, ...(await findPath(chain, from.headers, head)) };
    } catch (error) {
      const known = error instanceof DeepReorganization ? await undoDeepReorganization(from) : null;
      if (!known) throw error;
      return { known, head, ...(await findPath(chain, known.headers, head)) };
    }
  };
  const wayFrom = (from: Cursor) =>
    findWay(from).catch((error: unknown) => {
      // Pauses the timeouts of unreadable blocks, because nodes that do not return the path to the head count as
      // unreachable.
      unreadable.pauseExcept([]);
      throw error;
    });

  return async (before: Cursor): Promise<Cursor> => {
    // The final height is requested before the path: a block that is replaced during the cycle must not count as final.
    const [final] = await Promise.allSettled([chain.finalized()]);
    const { known, head, drop, add } = await wayFrom(before);
    // The watch list is updated first, so that it has every address that was registered before a block appeared, and
    // every import that is due at this position.
    const position = await events.head();
    await watched.catchUp();
    const from = { ...(await undoReorganization(known, drop)), head };
    const { cursor: taken, failure } = await take(from, add, watched.dueImports.resumePosition(position));
    if (add.length > 0) await store.save(taken);
    await unreadable.save();
    await reread(taken);
    await settle(taken);
    // Throws the failure after the settlement, so that the blocks before the unreadable block are settled as usual.
    if (failure) throw failure;
    // Final headers are dropped only after the settlement, which compares them with the activities: a crash may have
    // left behind activities of replaced blocks.
    if (final.status === 'rejected') throw final.reason;
    const cursor = finalizedAt(taken, final.value);
    watched.finalize((cursor.headers[0] as Header).number);
    return cursor;
  };
};
