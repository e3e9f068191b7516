import type { Variant } from '../../domain/variant.js';
import { refreshes, refreshKey } from '../../projections/assets.js';
import { type Backoff, createBackoff } from '../async/backoff.js';
import { linkedController } from '../async/linked-controller.js';
import type { Streams } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import type { Progress } from '../read-models/progress.js';
import { documentsOfAllOwners } from '../read-models/scan-owners.js';
import { createRefreshParts, type RefreshJob, type RefreshPorts, type RefreshProgress } from './refresh-part.js';

type Started = { readonly events: Pick<Streams, 'head'>; readonly progress: Progress };

const pauseMs = 250;
const organizationsAtOnce = 8;
const catchUpMs = 1000;
const retry = { firstMs: 1000, maxMs: 60_000 };

const jobKey = ({ organizationId, document }: RefreshJob) =>
  `${organizationId} ${refreshKey(document.wallet_id, document.standard)}`;

/**
 * Creates a store in memory for progress that the read models do not include yet, so that no part is read twice.
 */
const createProgress = () => {
  let ahead = new Map<string, RefreshProgress>();
  /** Returns the remembered progress of a refresh; null when there is none or the read models have newer progress. */
  const newer = (job: RefreshJob) => {
    const known = ahead.get(jobKey(job));
    const isSame = known?.document.refresh_id === job.document.refresh_id;
    return isSame && known.document.part >= job.document.part ? known : null;
  };
  return {
    set: (job: RefreshJob, progress: RefreshProgress) => ahead.set(jobKey(job), progress),
    /** Updates the refreshes from the read models with the remembered progress, and drops refreshes that have ended. */
    apply: (jobs: readonly RefreshJob[]): readonly RefreshJob[] => {
      const known = jobs.map(newer);
      ahead = new Map(jobs.flatMap((job, i) => (known[i] ? [[jobKey(job), known[i]] as const] : [])));
      return jobs.flatMap((job, i) => {
        const found = known[i];
        if (!found) return [job];
        return found.isEnded ? [] : [{ ...job, document: found.document }];
      });
    },
  };
};

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
const createTurns = (system: System, work: (job: RefreshJob) => Promise<void>) => {
  const running = new Map<string, Promise<void>>();
  let waiting = new Set<string>();
  const begin = (job: RefreshJob) => {
    const ended = work(job).finally(() => running.delete(job.organizationId));
    running.set(job.organizationId, ended);
  };
  return {
    /**
     * Starts a part for each organization in turn, unless the previous part of the organization has not ended or no
     * slot is free.
     */
    serve: (due: ReadonlyMap<string, RefreshJob>) => {
      waiting = new Set([...waiting, ...due.keys()].filter((organizationId) => due.has(organizationId)));
      const idle = [...waiting].filter((organizationId) => !running.has(organizationId));
      for (const organizationId of idle.slice(0, organizationsAtOnce - running.size)) {
        waiting.delete(organizationId);
        begin(due.get(organizationId) as RefreshJob);
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
  const { events, progress: readModelProgress, system } = ports;
  const readPart = createRefreshParts(ports, variant);
  const progress = createProgress();
  const delays = createDelays(system.now);

  const tryPart = async (job: RefreshJob) => {
    try {
      progress.set(job, await readPart(job));
      delays.reset(job);
    } catch (error) {
      delays.delay(job);
      const facts = { organization: job.organizationId, wallet: job.document.wallet_id, err: error };
      system.log.warn(facts, 'Balance refresh failed; retrying');
    }
  };

  const turns = createTurns(system, tryPart);
  const round = async () => {
    const shown: RefreshJob[] = [];
    for await (const job of documentsOfAllOwners(ports, refreshes, variant.tag)) shown.push(job);
    const due = new Map<string, RefreshJob>();
    for (const job of progress.apply(shown).filter(delays.isDue))
      if (!due.has(job.organizationId)) due.set(job.organizationId, job);
    turns.serve(due);
  };

  return async (signal: AbortSignal): Promise<void> => {
    const head = await events.head();
    // The read models must include parts that were stored before a restart, or these parts would be read again.
    while (!signal.aborted && !(await readModelProgress.reached(head, catchUpMs)));
    while (!signal.aborted) {
      await round();
      await turns.someEnded(signal);
    }
    await turns.allEnded();
  };
};
