import type { Variant } from '../../domain/variant.js';
import type { Balances } from '../assets/balances.js';
import type { Contracts } from '../assets/contracts.js';
import { createBackoff } from '../async/backoff.js';
import { linkedController } from '../async/linked-controller.js';
import type { Handle } from '../commands/handle.js';
import type { Chain, Header } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { noTracer, type Tracer } from '../ports/tracing/tracer.js';
import type { Measure } from '../processes/measurements.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { createActivityTasks } from './activity-tasks.js';
import { createBalanceReader } from './balance-reader.js';
import { createLateAccountBackfill } from './blocks/backfill-late-accounts.js';
import { createBlockRecords } from './blocks/block-records.js';
import { createUnreadableRetry } from './blocks/retry-unreadable.js';
import { createUndoDeepReorganization } from './blocks/undo-deep-reorganization.js';
import { createRefreshAll } from './blocks/unreadable-block-balances.js';
import { createUnreadableTracker } from './blocks/unreadable-tracker.js';
import { type Cursor, isBehind, tipOf } from './cursor.js';
import { createFailingContracts } from './failing-contracts.js';
import { createFanOut } from './fan-out.js';
import { createDueImporter } from './import-due.js';
import type { LedgerWriter } from './ledger-writer.js';
import type { Notifier } from './notify.js';
import { CursorConflict, createCursorStore } from './progress/cursor-store.js';
import { createHeartbeat, type FollowerHeartbeat } from './progress/heartbeat.js';
import { DeepReorganization } from './reorg-path.js';
import { createSettlement } from './settle-activity.js';
import { createAdvance } from './turn/advance.js';
import { createResume, OtherChain } from './turn/resume.js';
import { createBlockWait } from './wait-for-block.js';

type FollowerStatus = {
  readonly variant: string;
  readonly height: number;
  readonly head: number;
  /** Message of the last failure in an outage, or a message that the head is too old; null while following works. */
  readonly alarm: string | null;
};

export type Follower = {
  readonly variant: string;
  /**
   * Follows the chain until the signal fires. Several processes may follow the same chain: if another process has moved
   * the stored cursor, this process continues from there.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Requests webhook deliveries for recorded activities until the signal fires. */
  notify(signal: AbortSignal): Promise<void>;
  /**
   * Reads the balances of confirmed activities, and balances requested at the registration of an address, until the
   * signal fires.
   */
  readBalances(signal: AbortSignal): Promise<void>;
  /** Returns the status; null before the first cursor is read. */
  status(): FollowerStatus | null;
  /** Returns the alarm of the status, also before the first cursor is read. */
  alarm(): string | null;
  /** Returns why the chain counts as stopped in this process; null while it is followed or was never started. */
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
  readonly measure: Measure;
  readonly system: System;
  readonly tracer?: Tracer;
};

type FollowOptions = {
  /** True for a development chain, which is followed from its first block and may start over. */
  readonly fromGenesis: boolean;
  /** Time in milliseconds after which a block that no node returns is left out. */
  readonly unreadableBlockMs: number;
  /** Age in seconds from which the newest block of the nodes raises an alarm; undefined for never. */
  readonly oldHeadSeconds: number | undefined;
};

const pollMs = { min: 100, default: 300, max: 1000 };
const backoffMs = { firstMs: 200, maxMs: 5000 };

const pauseFor = ({ headers }: Cursor) => {
  const [first, last] = [headers[0] as Header, headers.at(-1) as Header];
  // A cursor has a single header if blocks are final at once. The default applies then, because no block interval can
  // be derived from one header.
  if (first === last) return pollMs.default;
  const perBlockMs = ((last.time - first.time) * 1000) / (last.number - first.number);
  return Math.min(pollMs.max, Math.max(pollMs.min, perBlockMs / 2));
};

/** Creates the work that follows the recording of a block: confirming, notifying webhooks and reading balances. */
const createFollowUp = (ports: Ports, variant: Variant) => {
  let known: Cursor | null = null;
  const tasks = createActivityTasks(ports.watched, variant, ports.system);
  const aside = createFailingContracts(ports, variant.tag);
  const shared = { ...ports, tasks, aside };
  const reader = createBalanceReader(shared, variant, () => known);
  const imports = createDueImporter(ports, variant);
  const fanOut = createFanOut(shared, () => known, reader.add);
  const { settle, recheckAll } = createSettlement(shared, {
    notify: (activity) => fanOut.add(activity.organizationId, activity),
    read: reader.add,
  });
  return {
    recheckAll,
    begin: async () => {
      recheckAll();
      await aside.load();
    },
    settle: async (cursor: Cursor) => {
      known = cursor;
      await settle(cursor);
      reader.retryDue();
      imports.addDue();
    },
    notify: fanOut.run,
    readBalances: async (signal: AbortSignal) => {
      await Promise.all([reader.run(signal), imports.run(signal)]);
    },
  };
};
type FollowUp = ReturnType<typeof createFollowUp>;

/** Creates the steps of a follower's cycle. */
const createSteps = (ports: Ports, variant: Variant, options: FollowOptions, followUp: FollowUp, moved: () => void) => {
  const { settle } = followUp;
  const store = createCursorStore(ports.state, variant.tag);
  const records = createBlockRecords(ports, variant);
  const unreadable = createUnreadableTracker(ports, variant.tag, options.unreadableBlockMs);
  const { defer, run: backfill } = createLateAccountBackfill(ports, variant);
  const retryUnreadable = createUnreadableRetry({ ...ports, records, defer }, variant.tag);
  const reread = async (cursor: Cursor) => {
    await retryUnreadable(cursor);
    await backfill(cursor);
  };
  const refreshAll = createRefreshAll(ports, variant);
  const beginTasks = async () => {
    await followUp.begin();
    await unreadable.load();
  };
  const undoDeepReorganization = createUndoDeepReorganization({ ...ports, records, refreshAll, store }, variant);
  return {
    resume: createResume({ ...ports, store, records, beginTasks }, variant, options.fromGenesis),
    advance: createAdvance(
      { ...ports, store, records, unreadable, settle, reread, defer, undoDeepReorganization, moved },
      variant,
    ),
    last: store.last,
  };
};

/** Returns whether the cursor has reached the head; false while the nodes lag behind the final block. */
const hasReached = (cursor: Cursor) => !isBehind(cursor) && cursor.head.number >= (cursor.headers[0] as Header).number;

/** Returns whether an error persists until an operator or other nodes resolve it. */
const isLasting = (error: unknown) => error instanceof DeepReorganization || error instanceof OtherChain;
/** Returns whether the stored cursor must be read again after an error. */
const needsResume = (error: unknown) => error instanceof CursorConflict || isLasting(error);

/**
 * Creates functions that run the steps of a follower: failures are logged, reported in the heartbeat and retried with
 * backoff.
 */
const createRetriedSteps = (
  ports: Ports,
  variant: Variant,
  options: FollowOptions,
  heartbeat: FollowerHeartbeat,
  followUp: FollowUp,
) => {
  const { log } = ports.system;
  const { resume, advance, last } = createSteps(ports, variant, options, followUp, heartbeat.moved);
  const backoff = createBackoff(backoffMs);
  const { tracer = noTracer } = ports;
  // Spans of cycles that store no event are not exported: most cycles find nothing for the wallets of this service.
  const turnSpan = { kind: 'internal', attributes: { 'chainfold.chain': variant.tag }, isTentative: true } as const;
  let retryMs = 0;

  const fail = (error: unknown, height: number | undefined) => {
    // Records progress instead of a failure, because a cursor conflict shows that another process follows the chain.
    if (error instanceof CursorConflict) heartbeat.moved();
    else heartbeat.failed((error as Error).message, isLasting(error));
    followUp.recheckAll();
    retryMs = backoff.next();
    const fields = { variant: variant.tag, height, retryInMs: retryMs, err: error };
    if (error instanceof DeepReorganization)
      log.error(fields, 'Final block was replaced; the chain cannot be followed');
    else if (error instanceof OtherChain) log.error(fields, 'Nodes serve another chain; the chain cannot be followed');
    else log.warn(fields, 'Following a chain failed; retrying');
  };
  return {
    /** Returns the pause in milliseconds before the attempt that follows a failure; 0 after a success. */
    retryMs: () => retryMs,
    begin: async (): Promise<Cursor | null> => {
      try {
        return await resume();
      } catch (error) {
        fail(error, undefined);
        return null;
      }
    },
    /** Returns the next cursor; null when the stored cursor must be read again. */
    advance: async (from: Cursor): Promise<Cursor | null> => {
      try {
        const next = await tracer.entry('follow chain', turnSpan, async () => {
          const reached = await advance(from);
          tracer.annotate({ 'chainfold.block': tipOf(reached).number });
          return reached;
        });
        if (hasReached(next) || tipOf(next) !== tipOf(from)) heartbeat.turned();
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
  const heartbeat = createHeartbeat(ports, variant.tag, options.oldHeadSeconds);
  const followUp = createFollowUp(ports, variant);
  const { begin, advance, retryMs } = createRetriedSteps(ports, variant, options, heartbeat, followUp);
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
    notify: followUp.notify,
    readBalances: followUp.readBalances,
    alarm: heartbeat.alarm,
    stall: heartbeat.stall,
    status: () =>
      cursor && {
        variant: variant.tag,
        height: tipOf(cursor).number,
        head: cursor.head.number,
        alarm: heartbeat.alarm(),
      },
    run: async (signal) => {
      const stop = linkedController(signal);
      const beating = heartbeat.run(stop.signal);
      try {
        await follow(signal, createBlockWait(chain, system, stop.signal));
      } finally {
        stop.abort();
        await beating;
        // Clears the status and the alarm after a stop, because another process may follow the chain from now on.
        if (signal.aborted) {
          cursor = null;
          heartbeat.rest();
        }
      }
    },
  };
};
