import type { Variant } from '../../../domain/variant.js';
import type { Chain, Header } from '../../ports/chain.js';
import type { Position } from '../../ports/event-store.js';
import type { System } from '../../ports/system.js';
import type { WatchList } from '../../watch-list/watch-list.js';
import type { BlockRecords } from '../blocks/block-records.js';
import { beginAt, type Cursor } from '../cursor.js';
import type { CursorStore } from '../progress/cursor-store.js';

/** Thrown when the nodes serve a different chain from the followed chain, whose blocks were recorded. */
export class OtherChain extends Error {
  override readonly name = 'OtherChain';
  constructor(followed: string, served: string) {
    super(
      `the nodes serve another chain: its first block is ${served}, but the followed chain starts with ${followed}`,
    );
  }
}

type Ports = {
  readonly chain: Chain;
  readonly watched: WatchList;
  readonly system: System;
  readonly store: CursorStore;
  readonly records: BlockRecords;
  readonly beginTasks: () => Promise<void>;
};

/**
 * Creates the function that reads the stored cursor or makes the first cursor. A development chain is followed from its
 * first block whenever that block changed, and any chain may replace a development chain. For other chains, a different
 * first block shows that the nodes serve a wrong network: the function then throws OtherChain, unless an operator
 * accepted the other chain. The cursor of the previous chain is parked until the nodes serve that chain again.
 */
export const createResume = (ports: Ports, { tag }: Variant, isDevelopment: boolean) => {
  const { chain, watched, system, store, records, beginTasks } = ports;

  /**
   * Returns a first cursor: at the first block of a development chain, otherwise at the head. `position` is earlier
   * than any event about an import that may still be due.
   */
  const start = async (genesis: Header, position: Position): Promise<Cursor> => {
    const head = isDevelopment ? genesis : await chain.head();
    const cursor = await beginAt(chain, genesis, head, position);
    return isDevelopment ? { ...cursor, isDevelopment } : cursor;
  };
  /** Returns the log message for the change to another chain; throws OtherChain when the change is not allowed. */
  const reasonToChange = async (genesis: Header, stored: Cursor) => {
    if (isDevelopment) return 'First block of the development chain changed; following from there';
    if (stored.isDevelopment) return 'Previous chain was a development chain; following this one from its head';
    const accepted = await records.accepted(stored.chain);
    if (accepted?.replacement !== genesis.hash) throw new OtherChain(stored.chain, genesis.hash);
    return 'Another chain was accepted; following it from now on';
  };
  const changeTo = async (genesis: Header, stored: Cursor) => {
    const reason = await reasonToChange(genesis, stored);
    system.log.warn({ variant: tag, genesis: genesis.hash }, reason);
    if (!stored.isDevelopment) await store.park(stored);
    return (await store.parked(genesis.hash)) ?? start(genesis, stored.positions[0] ?? 0);
  };
  const cursorFor = async (genesis: Header, stored: Cursor | null) => {
    if (!stored) return start(genesis, 0);
    return stored.chain === genesis.hash ? stored : changeTo(genesis, stored);
  };

  return async (): Promise<Cursor> => {
    const genesis = await chain.genesis();
    const stored = await store.read();
    const cursor = await cursorFor(genesis, stored);
    await watched.load(cursor.positions[0] ?? 0, (cursor.headers[0] as Header).number);
    await beginTasks();
    if (cursor === stored) return cursor;
    await store.save(cursor);
    if (stored) {
      const block = { number: 0, hash: stored.chain, chain: stored.chain };
      await records.record({ type: 'Follow', data: { block, replacement: genesis.hash } });
    }
    return cursor;
  };
};
