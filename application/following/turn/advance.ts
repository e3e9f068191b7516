import type { Variant } from '../../../domain/variant.js';
import type { Balances } from '../../assets/balances.js';
import type { Block, Chain, Header } from '../../ports/chain.js';
import type { EventStore } from '../../ports/event-store.js';
import type { System } from '../../ports/system.js';
import type { WatchList } from '../../watch-list/watch-list.js';
import { entriesOf } from '../block-entries.js';
import type { BlockRecords } from '../blocks/block-records.js';
import { type Fetched, fetchInOrder, reasonOf } from '../blocks/fetch-blocks.js';
import type { Unreadable } from '../blocks/unreadable.js';
import { type Cursor, finalizedAt, roomIn, withBlock } from '../cursor.js';
import { createDueImporter } from '../import-due.js';
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
  readonly balances: Balances;
  readonly system: System;
  readonly store: CursorStore;
  readonly records: BlockRecords;
  readonly unreadable: Unreadable;
  readonly settle: (cursor: Cursor) => Promise<void>;
  /** Reads blocks again that were left out, where a person wants it, or that concern accounts which were found late. */
  readonly reread: (cursor: Cursor) => Promise<void>;
  /** Returns the cursor from which to go on after a final block was replaced; null unless a person accepted that. */
  readonly goBack: (cursor: Cursor) => Promise<Cursor | null>;
  /** Notes that a block was taken, by which a follower that catches up is told from one that is stuck. */
  readonly moved: () => void;
};

const savedEvery = 32;

/** Creates the part of a turn that reads blocks and records what they did to wallets. */
const createTake = (ports: Ports, variant: Variant) => {
  const { chain, events, watched, ledgers, records, unreadable, system, store, moved } = ports;

  /** Leaves a block out that no node gave for long; returns false where it is to be waited for. */
  const leaveOut = async ({ chain: first }: Cursor, fetched: Fetched) => {
    if (!unreadable.isHopeless(fetched.header)) return false;
    const { number, hash } = fetched.header;
    const reason = reasonOf(fetched);
    await records.record({ type: 'LeaveOut', data: { block: { number, hash, chain: first }, reason } });
    const facts = { variant: variant.tag, height: number, hash, reason };
    system.log.error(facts, 'a block cannot be read and is left out');
    return true;
  };
  const observe = async ({ chain: first }: Cursor, { number, hash, time, ...block }: Block) =>
    ledgers.observe(entriesOf({ number, hash, time, ...block }, watched), { number, hash, time, chain: first });
  return async (from: Cursor, add: readonly Header[]) => {
    const position = await events.head();
    let cursor = from;
    let taken = 0;
    unreadable.keep(add);
    // The follower waits while settlements fail, since no header is forgotten then and the cursor must stay bounded.
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

/** Creates one turn of a follower, which takes blocks up to the head, at most as many as `findPath` returns. */
export const createAdvance = (ports: Ports, variant: Variant) => {
  const { chain, watched, unreadable, system, store, settle, reread, goBack } = ports;
  const importDue = createDueImporter(ports, variant);
  const undoReorganization = createUndoReorganization({ ...ports, system, save: store.save }, variant.tag);

  const take = createTake(ports, variant);
  /** Refuses a head below the final block when the nodes have changed to another chain, instead of waiting for it. */
  const checkChain = async ({ chain: followed, headers }: Cursor, head: Header) => {
    if (head.number >= (headers[0] as Header).number) return;
    const { hash } = await chain.genesis();
    if (hash !== followed) throw new OtherChain(followed, hash);
  };

  /** Finds the way to the head, and goes back first where a person accepted that a final block was replaced. */
  const findWay = async (from: Cursor) => {
    const head = await (chain.followedHead ?? chain.head)();
    await checkChain(from, head);
    try {
      return { known: from, head, ...(await findPath(chain, from.headers, head)) };
    } catch (error) {
      const known = error instanceof DeepReorganization ? await goBack(from) : null;
      if (!known) throw error;
      return { known, head, ...(await findPath(chain, known.headers, head)) };
    }
  };
  const wayFrom = (from: Cursor) =>
    findWay(from).catch((error: unknown) => {
      // Nodes that do not even tell the way to the head are away, which says nothing about a block.
      unreadable.keep([]);
      throw error;
    });

  return async (from: Cursor): Promise<Cursor> => {
    const { known, head, drop, add } = await wayFrom(from);
    // Addresses that were registered before a block appeared are in the watch list before the block is read.
    await watched.catchUp();
    // Due imports are read before the cursor moves: after a crash, registrations are read only from its position on.
    await importDue();
    const { cursor: taken, failure } = await take({ ...(await undoReorganization(known, drop)), head }, add);
    if (add.length > 0) await store.save(taken);
    await reread(taken);
    await settle(taken);
    // Blocks before one that cannot be read are settled as usual.
    if (failure) throw failure;
    // Final headers are forgotten only after the settlement, which needs them to find activities in replaced blocks
    // that a crash left undropped.
    const cursor = finalizedAt(taken, await chain.finalized());
    watched.finalize((cursor.headers[0] as Header).number);
    return cursor;
  };
};
