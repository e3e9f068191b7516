import type { Variant } from '../../../domain/variant.js';
import { refreshKey } from '../../../projections/assets.js';
import { type Backoff, createBackoff } from '../../async/backoff.js';
import { linkedController } from '../../async/linked-controller.js';
import { allSettledOrThrow } from '../../async/turns/organization-queue.js';
import type { EventStore } from '../../ports/event-store.js';
import type { System } from '../../ports/system.js';
import type { Progress } from '../../read-models/progress.js';
import { createRefreshParts, type RefreshJob, type RefreshPorts } from './refresh-part.js';
import { createRunningRefreshes, type RunningRefresh, type RunningRefreshes } from './running-refreshes.js';

type Started = { readonly events: EventStore; readonly progress: Progress };

const pauseMs = 250;
const organizationsAtOnce = 8;
const catchUpMs = 1000;
const retry = { firstMs: 1000, maxMs: 60_000 };

const jobKey = ({ organizationId, document }: RefreshJob) =>
  `${organizationId} ${refreshKey(document.wallet_id, document.standard)}`;

/** Creates functions that delay failed refreshes with exponential backoff. */
const createDelays = (now: () => number) => {
  const failed = new Map<string, { readonly backoff: Backoff; readonly until: number }>();
  return {
    isDue: (job: RefreshJob) => (failed.get(jobKey(job))?.until ?? 0) <= now(),
    delay: (job: RefreshJob) => {
      const { backoff } = failed.get(jobKey(job)) ?? { backoff: createBackoff(retry) };
      failed.set(jobKey(job), { backoff, until: now() + backoff.next() });
    },
    reset: (job: RefreshJob) => failed.delete(jobKey(job)),
  };
};

/**
 * Creates a scheduler that runs one part of a refresh per organization at a time, for at most `organizationsAtOnce`
 * organizations concurrently. The organization that was served last waits longest.
 */
const createTurns = (system: System, work: (job: RunningRefresh) => Promise<void>) => {
  const running = new Map<string, Promise<void>>();
  let waiting = new Set<string>();
  const begin = (job: RunningRefresh) => {
    const ended = work(job).finally(() => running.delete(job.organizationId));
    running.set(job.organizationId, ended);
  };
  return {
    /**
     * Starts a part for each organization in turn, unless the previous part of the organization has not ended or no
     * slot is free.
     */
    serve: (due: ReadonlyMap<string, RunningRefresh>) => {
      waiting = new Set([...waiting, ...due.keys()].filter((organizationId) => due.has(organizationId)));
      const idle = [...waiting].filter((organizationId) => !running.has(organizationId));
      for (const organizationId of idle.slice(0, organizationsAtOnce - running.size)) {
        waiting.delete(organizationId);
        begin(due.get(organizationId) as RunningRefresh);
      }
    },
    /** Resolves when one of the running parts has ended, or after `pauseMs`. */
    someEnded: async (signal: AbortSignal) => {
      const over = linkedController(signal);
      await Promise.race([...running.values(), system.sleep(pauseMs, over.signal)]);
      over.abort();
    },
    allEnded: () => Promise.all(running.values()),
  };
};

/**
 * Creates the process that runs all refreshes, one part per organization in turn, so that a slow part delays only its
 * own organization. Progress is stored in events, so the process may stop at any point. Two concurrent processes read
 * the same parts, but advance the refresh by each part only once.
 */
export const createBalanceRefresher = (ports: RefreshPorts & Started, variant: Variant) => {
  const { progress, system } = ports;
  const readPart = createRefreshParts(ports, variant);
  const delays = createDelays(system.now);

  /** Waits until the read models include the wallet and its addresses, which were registered before the refresh. */
  const awaitWallet = async ({ organizationId, startedAt }: RunningRefresh) => {
    if (!(await progress.reached(startedAt, catchUpMs, organizationId)))
      throw new Error(`The read models do not include the event at position ${startedAt} yet`);
  };
  const tryPart = async (running: RunningRefreshes, job: RunningRefresh) => {
    try {
      await awaitWallet(job);
      running.advance(job, await readPart(job));
      delays.reset(job);
    } catch (error) {
      delays.delay(job);
      const facts = { organization: job.organizationId, wallet: job.document.wallet_id, err: error };
      system.log.warn(facts, 'Balance refresh failed; retrying');
    }
  };
  const firstDue = (jobs: ReadonlyMap<string, RunningRefresh>) => {
    for (const job of jobs.values()) if (delays.isDue(job)) return job;
    return null;
  };
  const dueIn = ({ byOrganization }: RunningRefreshes) => {
    const due = new Map<string, RunningRefresh>();
    for (const [organizationId, jobs] of byOrganization) {
      const job = firstDue(jobs);
      if (job) due.set(organizationId, job);
    }
    return due;
  };

  return async (signal: AbortSignal): Promise<void> => {
    const running = createRunningRefreshes(ports, variant);
    const turns = createTurns(system, (job) => tryPart(running, job));
    await running.load();
    const stop = linkedController(signal);
    const serve = async () => {
      while (!stop.signal.aborted) {
        turns.serve(dueIn(running));
        await turns.someEnded(stop.signal);
      }
      // A part that still runs after an error of the event store would run beside its own repetition.
      await turns.allEnded();
    };
    await allSettledOrThrow([running.follow(stop.signal), serve()].map((one) => one.finally(() => stop.abort())));
  };
};
