import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Job, Jobs } from '../../application/ports/jobs.js';
import type { Log } from '../../application/ports/system.js';
import { withDeadline } from '../deadline.js';
import type { createFairQueue, Step } from './fair-queue.js';

/** A dead worker's shifts are found within the lease and two checks, well below five seconds. */
export const usualLeaseMs = 3000;
const checks = { stalledInterval: 500, maxStalledCount: Number.MAX_SAFE_INTEGER };
/** Seconds that BullMQ waits for a shift; Redis must answer within `silentMs`, so this stays below it. */
const drainDelay = 2;
const silentMs = 5000;
const maintenanceIntervalMs = 100;
const failedAgainMs = 1000;
const retryMs = 500;
const closeMs = 3000;

type Work = Parameters<Jobs['work']>[0];

export type Working = {
  readonly queue: Queue;
  readonly redis: Redis;
  readonly lanes: ReturnType<typeof createFairQueue>;
  /** Hands shifts to BullMQ. */
  readonly begin: (shifts: readonly string[]) => Promise<void>;
  readonly log: Log;
  /** Time for which a shift stays with a worker that does not renew its lock. */
  readonly leaseMs: number;
  readonly signal: AbortSignal;
};

/** Batches the steps of one turn of the event loop into one call. */
const createSteps = (lanes: Working['lanes']) => {
  type Waiting = { step: Step; resolve: (job: Job | null) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  const send = async () => {
    const batch = waiting;
    waiting = [];
    try {
      const jobs = await lanes.step(batch.map(({ step }) => step));
      for (const [i, { resolve }] of batch.entries()) resolve(jobs[i] ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return (step: Step) =>
    new Promise<Job | null>((resolve, reject) => {
      waiting.push({ step, resolve, reject });
      if (waiting.length === 1) setImmediate(() => void send());
    });
};

/** Logs each error once until Redis is back, because BullMQ repeats it with every retry and for every shift. */
const createReport = (log: Log) => {
  let told = '';
  return {
    failed: (error: Error) => {
      const what = error.message.replace(/shift-\d+/, 'a shift');
      if (told !== what) log.warn({ err: error }, 'the job queue does not work right now');
      told = what;
    },
    recovered: () => {
      told = '';
    },
  };
};

/** Runs a shift: job after job, until none is due. */
const createShift = (work: Work, { lanes, log, signal }: Working) => {
  const send = createSteps(lanes);
  const next = async (step: Step) => {
    for (;;) {
      try {
        return await send(step);
      } catch {
        // The job is done again by the worker that takes over after the lock has expired.
        if (signal.aborted) return null;
        await sleep(retryMs);
      }
    }
  };
  const doOne = async (job: Job) => {
    try {
      const outcome = await work.run(job);
      return outcome === 'done' ? null : outcome.again;
    } catch (error) {
      log.warn({ err: error, job: job.id }, 'a job failed and is done again');
      return Date.now() + failedAgainMs;
    }
  };
  return async (shift: string) => {
    let step: Step = { shift, holder: randomUUID(), finished: '', again: null, goesOn: !signal.aborted };
    for (let job = await next(step); job; job = await next(step)) {
      const again = await doOne(job);
      step = { ...step, finished: job.id, again, goesOn: !signal.aborted };
    }
  };
};

/** Starts shifts for jobs that come due, until the signal aborts. */
const tend = async ({ atOnce, perOrganization, perLane }: Work, { queue, lanes, begin, signal }: Working) => {
  const place = { worker: randomUUID(), atOnce, perOrganization, perLane, shiftKeys: queue.toKey('') };
  const once = async () => {
    const { begun, next } = await lanes.tend(place);
    await begin(begun);
    return next === null ? maintenanceIntervalMs : Math.min(maintenanceIntervalMs, Math.max(1, next - Date.now()));
  };
  while (!signal.aborted) {
    const pauseMs = await once().catch(() => maintenanceIntervalMs);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
};

/** Runs one worker, as `work` of the port describes. */
export const runBullmqWorker = async (work: Work, working: Working) => {
  const { queue, redis, log } = working;
  const report = createReport(log);
  const doShift = createShift(work, working);
  const inHand = new Set<Promise<void>>();

  // No caller waits for BullMQ's own commands, so they may wait for Redis to come back.
  const patient = { maxRetriesPerRequest: null, socketTimeout: silentMs, lazyConnect: false };
  const connection = redis.duplicate({ ...patient, commandTimeout: undefined } as object);
  connection.on('error', report.failed).on('ready', report.recovered);
  const worker = new Worker(
    queue.name,
    async ({ id }) => {
      const shift = doShift(id ?? '');
      inHand.add(shift);
      await shift.finally(() => inHand.delete(shift));
    },
    {
      ...checks,
      lockDuration: working.leaseMs,
      connection,
      drainDelay,
      concurrency: work.atOnce,
      runRetryDelay: retryMs,
      ...(queue.opts.prefix !== undefined && { prefix: queue.opts.prefix }),
    },
  );
  worker.on('error', report.failed);

  await tend(work, working);
  const closed = worker.close();
  while (inHand.size > 0) await Promise.all(inHand);
  // Closing waits for Redis, which may be away; the locks then expire by themselves.
  await withDeadline(closed, closeMs).catch(report.failed);
  connection.disconnect();
};
