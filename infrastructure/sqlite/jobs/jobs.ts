import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { slicesOf } from '../../../application/async/slices.js';
import type { Job, Jobs } from '../../../application/ports/jobs.js';
import { createDoorbell } from '../../doorbell.js';
import { unavailable } from '../../unavailable.js';
import { startThread, type Thread } from '../thread.js';
import type { InHand, JobsAnswer, JobsRequest } from './jobs-writer.js';
import { usualLeaseMs } from './leases.js';

/** Interval at which an idle worker looks for jobs put by other processes and for dead workers. */
const pollIntervalMs = 100;
const failedAgainMs = 1000;
const rewriteIntervalMs = 500;
/** Jobs per request, so that other requests get in between when many are put at once. */
const putAtOnce = 1000;

type Writer = Thread<JobsRequest, JobsAnswer>;
type Working = { readonly writer: Writer; readonly now: () => number; readonly signal: AbortSignal };

/** Counts the jobs that one worker has in hand, by organization and lane. */
const createHands = () => {
  const inHand = new Map<string, Map<string, number>>();
  let busy = 0;
  return {
    inHand: inHand as InHand,
    busy: () => busy,
    add: ({ organization, lane }: Job) => {
      busy++;
      const lanes = inHand.get(organization) ?? new Map<string, number>();
      inHand.set(organization, lanes.set(lane, (lanes.get(lane) ?? 0) + 1));
    },
    drop: ({ organization, lane }: Job) => {
      busy--;
      const lanes = inHand.get(organization);
      const left = (lanes?.get(lane) ?? 1) - 1;
      if (left > 0) lanes?.set(lane, left);
      else lanes?.delete(lane);
      if (lanes?.size === 0) inHand.delete(organization);
    },
  };
};

/** A doorbell that remembers a ring until the next wait. */
const createCall = () => {
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

const writeSurely = async ({ writer, signal }: Working, request: JobsRequest) => {
  for (;;) {
    try {
      return await writer.run(request);
    } catch {
      // The job is done again by the worker that takes over this one's jobs.
      if (signal.aborted) return;
      await sleep(rewriteIntervalMs);
    }
  }
};

/** Runs one worker, as `work` of the port describes. */
const doJobs = async (work: Parameters<Jobs['work']>[0], working: Working, call: ReturnType<typeof createCall>) => {
  const { writer, now, signal } = working;
  const worker = randomUUID();
  const hands = createHands();
  const begun = new Set<Promise<unknown>>();
  const finish = (id: string, again: number | null) =>
    writeSurely(working, { kind: 'finish', worker, id, again, now: now() });

  const outcomeOf = async (job: Job) => {
    try {
      return await work.run(job);
    } catch {
      return { again: now() + failedAgainMs };
    }
  };
  const doOne = async (job: Job) => {
    hands.add(job);
    const outcome = await outcomeOf(job);
    // The place is free before the outcome is written, because the thread writes it before it takes the next jobs.
    hands.drop(job);
    const written = finish(job.id, outcome === 'done' ? null : outcome.again);
    call.ring();
    await written;
  };
  const keep = (settling: Promise<unknown>) => {
    begun.add(settling);
    void settling.finally(() => begun.delete(settling));
  };
  const take = async () => {
    const { atOnce, perOrganization, perLane } = work;
    const free = atOnce - hands.busy();
    const { inHand } = hands;
    const limits = { perOrganization, perLane };
    const { jobs, next } = await writer.run({ kind: 'take', worker, free, ...limits, inHand, now: now() });
    // The signal may have aborted meanwhile; jobs that are not begun go back for other workers.
    for (const job of jobs) keep(signal.aborted ? finish(job.id, now()) : doOne(job));
    // Each lane got only its share, so lanes with more due jobs may fill the places left.
    if (jobs.length > 0 && jobs.length < free) return 0;
    return Math.min(pollIntervalMs, next === null ? pollIntervalMs : next - now());
  };

  while (!signal.aborted) {
    const pauseMs = await take().catch(() => pollIntervalMs);
    if (pauseMs > 0) await call.wait(pauseMs, signal);
  }
  await Promise.all(begun);
  await writeSurely(working, { kind: 'leave', worker });
};

/**
 * Job queue shared by all processes on this data directory; it outlives them, but a power cut may lose its last
 * moments.
 */
export const sqliteJobs = async (path: string, leaseMs = usualLeaseMs): Promise<Jobs> => {
  const now = Date.now;
  const writer: Writer = await startThread('jobs-writer', { path, leaseMs });
  const closing = new AbortController();
  const calls = new Set<ReturnType<typeof createCall>>();
  const workers = new Set<Promise<void>>();
  const ask = (request: JobsRequest) => writer.run(request).catch(unavailable('the job queue'));

  return {
    put: async (jobs) => {
      for (const some of slicesOf(jobs, putAtOnce)) await ask({ kind: 'put', jobs: some, now: now() });
      for (const call of calls) call.ring();
    },
    remove: async (ids) => {
      await ask({ kind: 'remove', ids });
    },
    work: async (work, signal) => {
      const call = createCall();
      calls.add(call);
      const working = doJobs(work, { writer, now, signal: AbortSignal.any([signal, closing.signal]) }, call);
      workers.add(working);
      await working;
      workers.delete(working);
      calls.delete(call);
    },
    count: async () => (await ask({ kind: 'count' })).count,
    // A file loses no jobs while it is open, so its identity never changes.
    identity: async () => path,
    close: async () => {
      closing.abort();
      await Promise.all(workers);
      await writer.close();
    },
  };
};
