import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Job, Jobs } from '../../application/ports/jobs.js';
import type { Log } from '../../application/ports/system.js';
import { withDeadline } from '../deadline.js';
import type { createFairQueue, Step } from './fair-queue.js';

/**
 * Default lease in ms of a shift, the BullMQ job in which a worker runs our jobs. BullMQ finds the shifts of a dead
 * worker after the lease and at most two checks, in less than 5 s.
 */
export const defaultLeaseMs = 3000;
const checks = { stalledInterval: 500, maxStalledCount: Number.MAX_SAFE_INTEGER };
/**
 * Seconds that BullMQ blocks while it waits for a shift. Less than `socketTimeoutMs`, after which a silent connection
 * fails.
 */
const drainDelay = 2;
const socketTimeoutMs = 5000;
const maintenanceIntervalMs = 100;
const failedRetryMs = 1000;
const retryMs = 500;
const closeTimeoutMs = 3000;

type Work = Parameters<Jobs['work']>[0];

export type WorkerContext = {
  readonly queue: Queue;
  readonly redis: Redis;
  readonly lanes: ReturnType<typeof createFairQueue>;
  /** Adds shifts to BullMQ. */
  readonly startShifts: (shifts: readonly string[]) => Promise<void>;
  readonly log: Log;
  /** Milliseconds after which the shift of a worker that does not renew its lock is reassigned. */
  readonly leaseMs: number;
  readonly signal: AbortSignal;
};

/**
 * Creates a function that collects the steps which shifts request in one turn of the event loop, and sends them to
 * Redis in one call.
 */
const createStepBatcher = (lanes: WorkerContext['lanes']) => {
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

/**
 * Creates a log that reports an error once until Redis recovers, because BullMQ reports it for every retry and every
 * shift.
 */
const createErrorLog = (log: Log) => {
  let loggedMessage = '';
  return {
    failed: (error: Error) => {
      const message = error.message.replace(/shift-\d+/, 'a shift');
      if (loggedMessage !== message) log.warn({ err: error }, 'Job queue unavailable');
      loggedMessage = message;
    },
    recovered: () => {
      loggedMessage = '';
    },
  };
};

/** Returns a function that runs a shift: one job after the other, until no job is due. */
const createShift = (work: Work, { lanes, log, signal }: WorkerContext) => {
  const send = createStepBatcher(lanes);
  const next = async (step: Step) => {
    for (;;) {
      try {
        return await send(step);
      } catch {
        // Ends the shift without reporting its job. The worker that takes over after the lock has expired runs the job
        // again.
        if (signal.aborted) return null;
        await sleep(retryMs);
      }
    }
  };
  const runJob = async (job: Job) => {
    try {
      const outcome = await work.run(job);
      return outcome === 'done' ? null : outcome.again;
    } catch (error) {
      log.warn({ err: error, job: job.id }, 'Job failed; retrying');
      return Date.now() + failedRetryMs;
    }
  };
  return async (shift: string) => {
    let step: Step = { shift, holder: randomUUID(), finished: '', again: null, continues: !signal.aborted };
    for (let job = await next(step); job; job = await next(step)) {
      const again = await runJob(job);
      step = { ...step, finished: job.id, again, continues: !signal.aborted };
    }
  };
};

/** Starts shifts for due jobs until the signal aborts. */
const startDueShifts = async (
  { atOnce, perOrganization, perLane }: Work,
  { queue, lanes, startShifts, signal }: WorkerContext,
) => {
  const limits = { worker: randomUUID(), atOnce, perOrganization, perLane, shiftKeys: queue.toKey('') };
  const once = async () => {
    const { begun, next } = await lanes.maintain(limits);
    await startShifts(begun);
    return next === null ? maintenanceIntervalMs : Math.min(maintenanceIntervalMs, Math.max(1, next - Date.now()));
  };
  while (!signal.aborted) {
    const pauseMs = await once().catch(() => maintenanceIntervalMs);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
};

/** Runs one worker until the signal aborts, as specified by `Jobs.work`. */
export const runBullmqWorker = async (work: Work, context: WorkerContext) => {
  const { queue, redis, log } = context;
  const errorLog = createErrorLog(log);
  const runShift = createShift(work, context);
  const running = new Set<Promise<void>>();

  // No caller waits for BullMQ's own commands, so they may wait until Redis recovers.
  const reconnecting = { maxRetriesPerRequest: null, socketTimeout: socketTimeoutMs, lazyConnect: false };
  const connection = redis.duplicate({ ...reconnecting, commandTimeout: undefined } as object);
  connection.on('error', errorLog.failed).on('ready', errorLog.recovered);
  const worker = new Worker(
    queue.name,
    async ({ id }) => {
      const shift = runShift(id ?? '');
      running.add(shift);
      await shift.finally(() => running.delete(shift));
    },
    {
      ...checks,
      autorun: false,
      lockDuration: context.leaseMs,
      connection,
      drainDelay,
      concurrency: work.atOnce,
      runRetryDelay: retryMs,
      ...(queue.opts.prefix !== undefined && { prefix: queue.opts.prefix }),
    },
  );
  worker.on('error', errorLog.failed);

  const looping = worker.run().catch(errorLog.failed);

  await startDueShifts(work, context);
  await worker.pause(true);
  while (running.size > 0) await Promise.all(running);
  // BullMQ's loop ends when Redis knows that the shifts have ended; if Redis cannot be reached, their locks expire
  // later. The close is forced: a normal close waits until a connection reports its end, which never happens while that
  // connection waits to reconnect. The worker's timers would then keep this process alive forever.
  await withDeadline(Promise.all([worker.close(true), looping]), closeTimeoutMs).catch(errorLog.failed);
  connection.disconnect();
};
