import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Jobs } from '../../application/ports/jobs.js';
import type { Log } from '../../application/ports/system.js';
import { withDeadline } from '../deadline.js';
import type { createLanes, Step, Visit } from './lanes.js';

/** A dead worker's visits are found within the lock and two checks: well within five seconds. */
const leases = { lockDuration: 3000, stalledInterval: 500, maxStalledCount: Number.MAX_SAFE_INTEGER };
/** BullMQ waits this long for a visit, in seconds, and Redis has to say something before `silentMs`. */
const drainDelay = 2;
const silentMs = 5000;
const tendEveryMs = 100;
const failedAgainMs = 1000;
const retryMs = 500;
const closeMs = 3000;
/** While others wait a visit is no longer than this, and short enough for all to have theirs within a second. */
const longestVisitMs = 200;
const roundMs = 1000;

export type VisitQueue = Queue<{ lane: string }>;

export type Working = {
  readonly queue: VisitQueue;
  readonly redis: Redis;
  readonly lanes: ReturnType<typeof createLanes>;
  /** Hands visits to BullMQ. */
  readonly call: (visits: readonly Visit[]) => Promise<void>;
  readonly log: Log;
  readonly signal: AbortSignal;
};

/** Steps of one turn of the event loop travel together. */
const createSteps = ({ lanes, call }: Working) => {
  type Waiting = { step: Step; resolve: (job: string) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  const send = async () => {
    const batch = waiting;
    waiting = [];
    try {
      const { called, jobs } = await lanes.step(batch.map(({ step }) => step));
      for (const [i, { resolve }] of batch.entries()) resolve(jobs[i] ?? '');
      await call(called);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return (step: Step) =>
    new Promise<string>((resolve, reject) => {
      waiting.push({ step, resolve, reject });
      if (waiting.length === 1) setImmediate(() => void send());
    });
};

/** How long a visit goes on. Without anybody waiting it need not end, which spares BullMQ a job for each of ours. */
const createPatience = (atOnce: number) => {
  let mayWait = 0;
  let visitMs = longestVisitMs;
  return {
    othersWait: (count: number) => {
      mayWait = count;
      visitMs = Math.min(longestVisitMs, (roundMs * atOnce) / Math.max(1, count));
    },
    /** True for as many as there are waiting. */
    yields: (forMs: number) => {
      if (mayWait === 0 || forMs < visitMs) return false;
      mayWait--;
      return true;
    },
  };
};

/** Says each thing once until Redis is back: BullMQ repeats it with every try, and for every visit. */
const createReport = (log: Log) => {
  let told = '';
  return {
    failed: (error: Error) => {
      const what = error.message.replace(/visit-\d+/, 'a visit');
      if (told !== what) log.warn({ err: error }, 'the job queue does not work right now');
      told = what;
    },
    recovered: () => {
      told = '';
    },
  };
};

/** What a visit does: the jobs of its lane, one after the other, until none is due or it is time for others. */
const createVisitor = (work: Parameters<Jobs['work']>[0], working: Working, yields: (forMs: number) => boolean) => {
  const { signal, log } = working;
  const send = createSteps(working);
  const surely = async (step: Step) => {
    for (;;) {
      try {
        return await send(step);
      } catch {
        // Whoever takes over when the lock has ended does the job again.
        if (signal.aborted) return '';
        await sleep(retryMs);
      }
    }
  };
  const doOne = async (id: string, lane: string) => {
    try {
      const outcome = await work.run({ id, lane });
      return outcome === 'done' ? null : outcome.again;
    } catch (error) {
      log.warn({ err: error, job: id }, 'a job failed and is done again');
      return Date.now() + failedAgainMs;
    }
  };
  return async (visit: string, lane: string) => {
    const began = performance.now();
    let step: Step = { visit, holder: randomUUID(), finished: '', again: null, goesOn: !signal.aborted };
    for (let job = await surely(step); job !== ''; job = await surely(step)) {
      const again = await doOne(job, lane);
      step = { ...step, finished: job, again, goesOn: !signal.aborted && !yields(performance.now() - began) };
    }
  };
};

/** Calls what comes due and learns who waits, until the signal. */
const tend = async (perLane: number, { queue, lanes, call, signal }: Working, othersWait: (count: number) => void) => {
  const once = async () => {
    const { called, next } = await lanes.tend(perLane, queue.toKey(''));
    await call(called);
    othersWait(await queue.getWaitingCount());
    return next === null ? tendEveryMs : Math.min(tendEveryMs, Math.max(1, next - Date.now()));
  };
  while (!signal.aborted) {
    const pauseMs = await once().catch(() => tendEveryMs);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
};

/** One worker: what `work` of the port says. */
export const makeVisits = async (work: Parameters<Jobs['work']>[0], working: Working) => {
  const { queue, redis, log } = working;
  const report = createReport(log);
  const patience = createPatience(work.atOnce);
  const visitor = createVisitor(work, working, patience.yields);
  const inHand = new Set<Promise<void>>();

  // BullMQ's own wait for Redis to come back; nobody waits for them.
  const patient = { maxRetriesPerRequest: null, socketTimeout: silentMs, lazyConnect: false };
  const connection = redis.duplicate({ ...patient, commandTimeout: undefined } as object);
  connection.on('error', report.failed).on('ready', report.recovered);
  const worker = new Worker<{ lane: string }>(
    queue.name,
    async ({ id, data: { lane } }) => {
      const visit = visitor(id ?? '', lane);
      inHand.add(visit);
      await visit.finally(() => inHand.delete(visit));
    },
    {
      ...leases,
      connection,
      drainDelay,
      concurrency: work.atOnce,
      runRetryDelay: retryMs,
      ...(queue.opts.prefix !== undefined && { prefix: queue.opts.prefix }),
    },
  );
  worker.on('error', report.failed);

  await tend(work.perLane, working, patience.othersWait);
  const closed = worker.close();
  while (inHand.size > 0) await Promise.all(inHand);
  // With Redis away it would wait for its return; what it could not say there, the end of its locks says.
  await withDeadline(closed, closeMs).catch(report.failed);
  connection.disconnect();
};
