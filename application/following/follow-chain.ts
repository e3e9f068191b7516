import type { Variant } from '../../domain/variant.js';
import type { Balances } from '../assets/balances.js';
import type { Contracts } from '../assets/contracts.js';
import { createBackoff } from '../async/backoff.js';
import type { Handle } from '../commands/handle.js';
import type { Chain, Header } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { createActivityTasks } from './activity-tasks.js';
import { createBalanceReader } from './balance-reader.js';
import { createBlockRecords } from './blocks/block-records.js';
import { createGoBack } from './blocks/go-back.js';
import { createReadAll } from './blocks/read-instead.js';
import { createReadLate } from './blocks/read-late.js';
import { createReread } from './blocks/reread.js';
import { createUnreadable } from './blocks/unreadable.js';
import { type Cursor, isBehind, tipOf } from './cursor.js';
import { createFanOut } from './fan-out.js';
import type { LedgerWriter } from './ledger-writer.js';
import type { Notifier } from './notify.js';
import { createCursorStore, Overtaken } from './progress/cursor-store.js';
import { createPulse, type Pulses } from './progress/pulse.js';
import { DeepReorganization } from './reorg-path.js';
import { createSetAside } from './set-aside.js';
import { createSettlement } from './settle-activity.js';
import { createAdvance } from './turn/advance.js';
import { createResume, OtherChain } from './turn/resume.js';
import { createBlockWait } from './wait-for-block.js';

type FollowerStatus = {
  readonly variant: string;
  readonly height: number;
  readonly head: number;
  /** Message of the last of several failures, or the age of a head that is too old; null while following works. */
  readonly alarm: string | null;
};

export type Follower = {
  readonly variant: string;
  /** Follows the chain until the signal; several processes may run it at once, and one of them does the work. */
  run(signal: AbortSignal): Promise<void>;
  /** Requests the deliveries of what the follower recorded, until the signal. */
  tell(signal: AbortSignal): Promise<void>;
  /** Reads the balances of what the follower confirmed, until the signal. */
  readBalances(signal: AbortSignal): Promise<void>;
  /** Returns null before the first cursor is read. */
  status(): FollowerStatus | null;
  /** Returns what the status has as its alarm. */
  alarm(): string | null;
  /** Returns why the chain counts as stopped in this process; null while it is followed, or where it never was. */
  stall(): string | null;
};

type Ports = {
  readonly chain: Chain;
  readonly events: EventStore;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly watched: WatchList;
  readonly ledgers: LedgerWriter;
  readonly notifier: Notifier;
  readonly balances: Balances;
  readonly contracts: Contracts;
  readonly system: System;
};

type FollowOptions = {
  /** True for a development chain, which is followed from its first block on and may start over. */
  readonly fromGenesis: boolean;
  /** Time after which a block that no node can give is left out. */
  readonly unreadableBlockMs: number;
  /** Age from which on the newest block of the nodes is an alarm; undefined for never. */
  readonly oldHeadSeconds: number | undefined;
};

const pollMs = { shortest: 100, usual: 300, longest: 1000 };
const patienceMs = { firstMs: 200, maxMs: 5000 };

const pauseFor = ({ headers }: Cursor) => {
  const [first, last] = [headers[0] as Header, headers.at(-1) as Header];
  // A chain whose blocks are final at once keeps one header, from which no block time can be derived.
  if (first === last) return pollMs.usual;
  const perBlockMs = ((last.time - first.time) * 1000) / (last.number - first.number);
  return Math.min(pollMs.longest, Math.max(pollMs.shortest, perBlockMs / 2));
};

/** Creates what follows after an observation: confirming, notifying webhooks and reading balances. */
const createFollowUp = (ports: Ports, variant: Variant) => {
  let known: Cursor | null = null;
  const tasks = createActivityTasks(ports.watched, variant);
  const aside = createSetAside(ports, variant.tag);
  const shared = { ...ports, tasks, aside };
  const reader = createBalanceReader(shared, variant, () => known);
  const fanOut = createFanOut(shared, () => known, reader.add);
  const { settle, doubt } = createSettlement(shared, {
    tell: (activity) => fanOut.add(activity.organizationId, activity),
    read: reader.add,
  });
  return {
    doubt,
    begin: async () => {
      doubt();
      await aside.load();
    },
    settle: async (cursor: Cursor) => {
      known = cursor;
      await settle(cursor);
      reader.retryDue();
    },
    tell: fanOut.run,
    readBalances: reader.run,
  };
};
type FollowUp = ReturnType<typeof createFollowUp>;

/** Creates the steps of a follower. */
const createMoves = (ports: Ports, variant: Variant, options: FollowOptions, followUp: FollowUp, moved: () => void) => {
  const { begin: beginTasks, settle } = followUp;
  const store = createCursorStore(ports.state, variant.tag);
  const records = createBlockRecords(ports, variant);
  const unreadable = createUnreadable(ports.system, options.unreadableBlockMs);
  const [readLeftOut, readLate] = [createReread({ ...ports, records }, variant.tag), createReadLate(ports, variant)];
  const reread = async (cursor: Cursor) => {
    await readLeftOut(cursor);
    await readLate(cursor);
  };
  const readAll = createReadAll(ports, variant);
  const goBack = createGoBack({ ...ports, records, readAll, store }, variant);
  return {
    resume: createResume({ ...ports, store, records, beginTasks }, variant, options.fromGenesis),
    advance: createAdvance({ ...ports, store, records, unreadable, settle, reread, goBack, moved }, variant),
    last: store.last,
  };
};

/** Tells whether all is taken that the nodes have; nodes that lag behind the final block do not show that. */
const hasReached = (cursor: Cursor) => !isBehind(cursor) && cursor.head.number >= (cursor.headers[0] as Header).number;

/** Tells errors that only a person, or other nodes, can end. */
const isLasting = (error: unknown) => error instanceof DeepReorganization || error instanceof OtherChain;
/** Errors after which the stored cursor is read again. */
const needsResume = (error: unknown) => error instanceof Overtaken || isLasting(error);

/** Creates the tries of a follower's steps: failures are told and retried with backoff. */
const createTries = (ports: Ports, variant: Variant, options: FollowOptions, pulse: Pulses, followUp: FollowUp) => {
  const { log } = ports.system;
  const { resume, advance, last } = createMoves(ports, variant, options, followUp, pulse.moved);
  const backoff = createBackoff(patienceMs);
  let retryMs = 0;

  const fail = (error: unknown, height: number | undefined) => {
    // Another process that moves the cursor shows that the chain is followed.
    if (error instanceof Overtaken) pulse.moved();
    else pulse.failed((error as Error).message, isLasting(error));
    followUp.doubt();
    const facts = { variant: variant.tag, height, err: error };
    if (error instanceof DeepReorganization) log.error(facts, 'a final block was replaced; not following on');
    else if (error instanceof OtherChain) log.error(facts, 'the nodes serve another chain; not following it');
    else log.warn(facts, 'a chain cannot be followed right now');
    retryMs = backoff.next();
  };
  return {
    /** Returns the pause after a failure, and 0 after a success. */
    retryMs: () => retryMs,
    begin: async (): Promise<Cursor | null> => {
      try {
        return await resume();
      } catch (error) {
        fail(error, undefined);
        return null;
      }
    },
    /** Returns the next cursor, or null when the stored one must be read again. */
    advance: async (from: Cursor): Promise<Cursor | null> => {
      try {
        const next = await advance(from);
        if (hasReached(next) || tipOf(next) !== tipOf(from)) pulse.turned();
        backoff.reset();
        retryMs = 0;
        return next;
      } catch (error) {
        fail(error, tipOf(from).number);
        return needsResume(error) ? null : last();
      }
    },
  };
};

export const createFollower = (ports: Ports, variant: Variant, options: FollowOptions): Follower => {
  const { chain, system } = ports;
  const pulse = createPulse(ports, variant.tag, options.oldHeadSeconds);
  const followUp = createFollowUp(ports, variant);
  const { begin, advance, retryMs } = createTries(ports, variant, options, pulse, followUp);
  let cursor: Cursor | null = null;

  const pauseAfter = (before: Cursor, after: Cursor | null) => {
    if (retryMs() > 0 || after === null) return retryMs();
    return !isBehind(after) || tipOf(after) === tipOf(before) ? pauseFor(after) : 0;
  };
  const follow = async (signal: AbortSignal, pause: (ms: number) => Promise<void>) => {
    let current: Cursor | null = null;
    while (!signal.aborted) {
      const before: Cursor | null = current ?? (await begin());
      if (before) {
        cursor = before;
        current = await advance(before);
      }
      const ms = before ? pauseAfter(before, current) : retryMs();
      if (ms > 0) await pause(ms);
    }
  };

  return {
    variant: variant.tag,
    tell: followUp.tell,
    readBalances: followUp.readBalances,
    alarm: pulse.alarm,
    stall: pulse.stall,
    status: () =>
      cursor && { variant: variant.tag, height: tipOf(cursor).number, head: cursor.head.number, alarm: pulse.alarm() },
    run: async (signal) => {
      const stop = new AbortController();
      const ended = AbortSignal.any([signal, stop.signal]);
      const beating = pulse.run(ended);
      try {
        await follow(signal, createBlockWait(chain, system, ended));
      } finally {
        stop.abort();
        await beating;
      }
    },
  };
};
