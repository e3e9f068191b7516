import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { linkedController } from '../../../application/async/linked-controller.js';
import { slicesOf } from '../../../application/async/slices.js';
import type { Job, Jobs } from '../../../application/ports/jobs.js';
import { createDoorbell } from '../../doorbell.js';
import { unavailable } from '../../unavailable.js';
import { startThread, type Thread } from '../thread.js';
import type { JobsAnswer, JobsRequest, RunningJobs } from './jobs-writer.js';
import { defaultLeaseMs } from './leases.js';

/** Interval in ms at which an idle worker polls for jobs of other processes and for dead workers. */
const pollIntervalMs = 100;
const failedRetryMs = 1000;
const writeRetryMs = 500;
/** Maximum number of jobs per request, so that a large put does not block other requests. */
const putAtOnce = 1000;

type Writer = Thread<JobsRequest, JobsAnswer>;
type WorkerContext = { readonly writer: Writer; readonly now: () => number; readonly signal: AbortSignal };

/** Creates a counter of the running jobs of one worker, by organization and lane. */
const createRunningJobs = () => {
  const running = new Map<string, Map<string, number>>();
  let busy = 0;
  return {
    running: running as RunningJobs,
    busy: () => busy,
    add: ({ organization, lane }: Job) => {
      busy++;
      const lanes = running.get(organization) ?? new Map<string, number>();
      running.set(organization, lanes.set(lane, (lanes.get(lane) ?? 0) + 1));
    },
    drop: ({ organization, lane }: Job) => {
      busy--;
      const lanes = running.get(organization);
      const left = (lanes?.get(lane) ?? 1) - 1;
      if (left > 0) lanes?.set(lane, left);
      else lanes?.delete(lane);
      if (lanes?.size === 0) running.delete(organization);
    },
  };
};

/** Creates a wake-up signal. If it rings while nobody waits, the next wait ends at once. */
const createLatchedBell = () => {
  const bell = createDoorbell();
  let rung = false;
  return {
    ring: () => {
      rung = true;
      bell.ring();
    },
    wait: async (ms: number, signal: AbortSignal) => {
      await bell.wait(ms, signal, () => rung);
      rung = false;
    },
  };
};

const writeWithRetry = async ({ writer, signal }: WorkerContext, request: JobsRequest) => {
  for (;;) {
    try {
      return await writer.run(request);
    } catch {
      // Records no outcome after an abort: the worker that takes over the job runs it again.
      if (signal.aborted) return;
      await sleep(writeRetryMs);
    }
  }
};

/** Runs one worker until the signal aborts, as specified by `Jobs.work`. */
const runWorker = async (
  work: Parameters<Jobs['work']>[0],
  working: WorkerContext,
  bell: ReturnType<typeof createLatchedBell>,
) => {
  const { writer, now, signal } = working;
  const worker = randomUUID();
  const runningJobs = createRunningJobs();
  const begun = new Set<Promise<unknown>>();
  const finish = (id: string, again: number | null) =>
    writeWithRetry(working, { kind: 'finish', worker, id, again, now: now() });

  const outcomeOf = async (job: Job) => {
    try {
      return await work.run(job);
    } catch {
      return { again: now() + failedRetryMs };
    }
  };
  const runJob = async (job: Job) => {
    runningJobs.add(job);
    const outcome = await outcomeOf(job);
    // The slot is freed before the outcome is written. The next jobs are nevertheless taken after that write, because
    // the thread runs its requests in order.
    runningJobs.drop(job);
    const written = finish(job.id, outcome === 'done' ? null : outcome.again);
    bell.ring();
    await written;
  };
  const keep = (settling: Promise<unknown>) => {
    begun.add(settling);
    void settling.finally(() => begun.delete(settling));
  };
  const take = async () => {
    const { atOnce, perOrganization, perLane } = work;
    const free = atOnce - runningJobs.busy();
    const { running } = runningJobs;
    const limits = { perOrganization, perLane };
    const { jobs, next } = await writer.run({ kind: 'take', worker, free, ...limits, running, now: now() });
    // The signal may have aborted meanwhile. Jobs that were not started are put back for other workers.
    for (const job of jobs) keep(signal.aborted ? finish(job.id, now()) : runJob(job));
    // Each lane got only its share of the slots. If slots are left, jobs are taken again at once, because lanes may
    // have more due jobs than their share.
    if (jobs.length > 0 && jobs.length < free) return 0;
    return Math.min(pollIntervalMs, next === null ? pollIntervalMs : next - now());
  };

  while (!signal.aborted) {
    const pauseMs = await take().catch(() => pollIntervalMs);
    if (pauseMs > 0) await bell.wait(pauseMs, signal);
  }
  await Promise.all(begun);
  await writeWithRetry(working, { kind: 'leave', worker });
};

/** Job queue shared by all processes on a data directory. Persistent, but a power failure may lose the last changes. */
export const sqliteJobs = async (path: string, leaseMs = defaultLeaseMs): Promise<Jobs> => {
  const now = Date.now;
  const writer: Writer = await startThread('jobs-writer', { path, leaseMs });
  const closing = new AbortController();
  const bells = new Set<ReturnType<typeof createLatchedBell>>();
  const workers = new Set<Promise<void>>();
  const ask = (request: JobsRequest) => writer.run(request).catch(unavailable('Job queue'));

  return {
    put: async (jobs) => {
      for (const some of slicesOf(jobs, putAtOnce)) await ask({ kind: 'put', jobs: some, now: now() });
      for (const bell of bells) bell.ring();
    },
    remove: async (ids) => {
      await ask({ kind: 'remove', ids });
    },
    work: async (work, signal) => {
      const bell = createLatchedBell();
      bells.add(bell);
      const stop = linkedController(signal, closing.signal);
      const working = runWorker(work, { writer, now, signal: stop.signal }, bell);
      workers.add(working);
      await working.finally(() => stop.abort());
      workers.delete(working);
      bells.delete(bell);
    },
    count: async () => (await ask({ kind: 'count' })).count,
    // A file does not lose jobs while it is open, so its identity never changes.
    identity: async () => path,
    close: async () => {
      closing.abort();
      await Promise.all(workers);
      await writer.close();
    },
  };
};
