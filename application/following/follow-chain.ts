import type { Variant } from '../../domain/variant.js';
import type { Balances } from '../assets/balances.js';
import { createBackoff } from '../async/backoff.js';
import type { Block, Chain, Header, Interest } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { entriesOf } from './block-entries.js';
import {
  beginAt,
  type Cursor,
  createCursorStore,
  finalizedAt,
  isBehind,
  lagOf,
  Overtaken,
  tipOf,
  withBlock,
  withoutNewest,
} from './cursor.js';
import { createDueImporter } from './import-due.js';
import type { Ledgers } from './ledger-writer.js';
import type { Notices } from './notify.js';
import { DeepReorganization, findPath } from './reorg-path.js';
import { createSettlement } from './settle-activity.js';
import { createBlockPause } from './wait-for-block.js';

type FollowerStatus = {
  readonly variant: string;
  readonly height: number;
  readonly head: number;
  readonly lagSeconds: number;
  /** Why it does not move, when it should. */
  readonly alarm: string | null;
};

export type Follower = {
  readonly variant: string;
  /** Until the signal. Safe to run in several processes at once: one of them does the work. */
  run(signal: AbortSignal): Promise<void>;
  /** Null before it has begun. */
  status(): FollowerStatus | null;
  /** Why it does not move, when it should; null when it does. */
  alarm(): string | null;
};

type Ports = {
  readonly chain: Chain;
  readonly events: EventStore;
  readonly state: StateStore;
  readonly watched: WatchList;
  readonly ledgers: Ledgers;
  readonly notices: Notices;
  readonly balances: Balances;
  readonly system: System;
};

const fetchedAhead = 8;
const savedEvery = 32;
const pollMs = { shortest: 100, usual: 300, longest: 1000 };
const patienceMs = { firstMs: 200, longestMs: 5000 };

/** Blocks in order, some fetched while an earlier one is worked on; ends where one is no longer there. */
const fetchInOrder = async function* (chain: Chain, headers: readonly Header[], interest: Interest) {
  const fetching: Promise<Block | null>[] = [];
  for (let i = 0; i < headers.length; i++) {
    for (let next = fetching.length; next < Math.min(headers.length, i + fetchedAhead); next++) {
      const fetched = chain.block((headers[next] as Header).hash, interest);
      // Whoever awaits it hears of the failure; until then nobody does.
      fetched.catch(() => undefined);
      fetching.push(fetched);
    }
    const block = await fetching[i];
    if (!block) return;
    yield block;
  }
};

const pauseFor = ({ headers }: Cursor) => {
  const [first, last] = [headers[0] as Header, headers.at(-1) as Header];
  // Where everything is final at once there is nothing to tell the pace of the chain by.
  if (first === last) return pollMs.usual;
  const perBlockMs = ((last.time - first.time) * 1000) / (last.number - first.number);
  return Math.min(pollMs.longest, Math.max(pollMs.shortest, perBlockMs / 2));
};

/** Moves along the chain: each call takes what there is up to the head, or as much of it as is taken at once. */
const createMoves = (ports: Ports, variant: Variant, fromGenesis: boolean) => {
  const { chain, events, state, watched, ledgers, notices, system } = ports;
  const settle = createSettlement({ chain, watched, ledgers, notices, system }, variant);
  const importDue = createDueImporter(ports, variant);
  const { read, save, last } = createCursorStore(state, variant.tag);

  const begin = async (genesis: Header, known: Cursor | null) => {
    if (known) system.log.warn({ variant: variant.tag, genesis: genesis.hash }, 'this is another chain than before');
    const head = known || fromGenesis ? genesis : await chain.head();
    return beginAt(chain, genesis, head, await events.head());
  };

  const resume = async (): Promise<Cursor> => {
    const genesis = await chain.genesis();
    const stored = await read();
    const known = stored?.chain === genesis.hash ? stored : null;
    const cursor = known ?? (await begin(genesis, stored));
    await watched.load(cursor.positions[0] ?? 0);
    if (!known) await save(cursor);
    return cursor;
  };

  const giveUp = async (cursor: Cursor, drop: readonly Header[]) => {
    if (drop.length === 0) return cursor;
    system.log.warn({ variant: variant.tag, height: tipOf(cursor).number, depth: drop.length }, 'blocks were replaced');
    const kept = withoutNewest(cursor, drop.length);
    // First: should it end here and the chain come back to what was replaced, that must be taken anew. What is not
    // dropped below because of a crash is found by the settlement to be in no block that is known.
    await save(kept);
    for (const { hash } of drop)
      for (const activity of watched.activities.in(hash))
        if (activity.phase !== 'due') await ledgers.drop(activity, notices.hasListeners(activity));
    return kept;
  };

  const take = async (from: Cursor, add: readonly Header[]) => {
    const position = await events.head();
    let cursor = from;
    let taken = 0;
    for await (const block of fetchInOrder(chain, add, watched.interest)) {
      const { number, hash, time } = block;
      await ledgers.observe(entriesOf(block, watched), { number, hash, time, chain: cursor.chain });
      cursor = withBlock(cursor, block, position);
      if (++taken % savedEvery === 0) await save(cursor);
    }
    return cursor;
  };

  const advance = async (from: Cursor): Promise<Cursor> => {
    const head = await chain.head();
    const { drop, add } = await findPath(chain, from.headers, head);
    // Whoever registered an address before a block was there is in the list before the block is read.
    await watched.catchUp();
    // Before the cursor moves on, and with it from where registrations are read after a crash.
    await importDue();
    const taken = await take({ ...(await giveUp(from, drop)), head }, add);
    if (add.length > 0) await save(taken);
    await settle(taken);
    // Not before: what was in a block that was replaced, and not dropped because of a crash, is known by the block that
    // is there instead, which may be final by now.
    const cursor = finalizedAt(taken, await chain.finalized());
    watched.activities.forgetSettled((cursor.headers[0] as Header).number);
    return cursor;
  };

  return { resume, advance, last };
};

export const createFollower = (ports: Ports, variant: Variant, { fromGenesis }: { fromGenesis: boolean }): Follower => {
  const { chain, system } = ports;
  const { resume, advance, last } = createMoves(ports, variant, fromGenesis);
  let cursor: Cursor | null = null;
  let alarm: string | null = null;
  const backoff = createBackoff(patienceMs);
  let retryMs = 0;

  /** Null when it is best to start over. What nodes fail to answer is asked again, ever more patiently. */
  const attempt = async (from: Cursor): Promise<Cursor | null> => {
    try {
      const next = await advance(from);
      alarm = null;
      backoff.reset();
      return next;
    } catch (error) {
      alarm = (error as Error).message;
      const facts = { variant: variant.tag, height: tipOf(from).number, err: error };
      if (error instanceof DeepReorganization) system.log.error(facts, 'a final block was replaced; not following on');
      else system.log.warn(facts, 'a chain cannot be followed right now');
      retryMs = backoff.next();
      return error instanceof Overtaken || error instanceof DeepReorganization ? null : last();
    }
  };

  const pauseAfter = (before: Cursor, after: Cursor | null) => {
    if (alarm !== null || after === null) return retryMs;
    return !isBehind(after) || tipOf(after) === tipOf(before) ? pauseFor(after) : 0;
  };
  const begin = () =>
    resume().catch((error: unknown) => {
      alarm = (error as Error).message;
      throw error;
    });
  const follow = async (signal: AbortSignal, pause: (ms: number) => Promise<void>) => {
    let current: Cursor | null = await begin();
    while (current && !signal.aborted) {
      const before: Cursor = current;
      cursor = before;
      current = await attempt(before);
      const ms = pauseAfter(before, current);
      if (ms > 0) await pause(ms);
    }
  };

  return {
    variant: variant.tag,
    alarm: () => alarm,
    status: () =>
      cursor && {
        variant: variant.tag,
        height: tipOf(cursor).number,
        head: cursor.head.number,
        lagSeconds: lagOf(cursor, system.now()),
        alarm,
      },
    run: async (signal) => {
      const stop = new AbortController();
      const ended = AbortSignal.any([signal, stop.signal]);
      try {
        await follow(signal, createBlockPause(chain, system, ended));
      } finally {
        stop.abort();
      }
    },
  };
};
