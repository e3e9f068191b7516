import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { slicesOf } from '../../application/async/slices.js';
import type { Job, Jobs } from '../../application/ports/jobs.js';
import { createDoorbell } from '../doorbell.js';
import { unavailable } from '../unavailable.js';
import type { JobsAnswer, JobsRequest } from './jobs-writer.js';
import { startThread, type Thread } from './thread.js';

/** How often a worker that has nothing to do looks for what another process put, and for those that died. */
const lookEveryMs = 100;
const failedAgainMs = 1000;
const rewriteEveryMs = 500;
/** So that others' jobs get in between when many are put at once. */
const putAtOnce = 1000;

type Writer = Thread<JobsRequest, JobsAnswer>;
type Working = { readonly writer: Writer; readonly now: () => number; readonly signal: AbortSignal };

/** What one worker has in hand, by lane. */
const createHands = () => {
  const inHand = new Map<string, number>();
  let busy = 0;
  return {
    inHand: inHand as ReadonlyMap<string, number>,
    busy: () => busy,
    add: (lane: string) => {
      busy++;
      inHand.set(lane, (inHand.get(lane) ?? 0) + 1);
    },
    drop: (lane: string) => {
      busy--;
      const left = (inHand.get(lane) ?? 1) - 1;
      if (left > 0) inHand.set(lane, left);
      else inHand.delete(lane);
    },
  };
};

/** A doorbell that is heard also when it was rung before anybody listened. */
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
      // Whoever takes over what this process leaves does the job again.
      if (signal.aborted) return;
      await sleep(rewriteEveryMs);
    }
  }
};

/** One worker: what `work` of the port says. */
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
    hands.add(job.lane);
    const outcome = await outcomeOf(job);
    // Free before this is written: the thread writes it before it looks for what to do next.
    hands.drop(job.lane);
    const written = finish(job.id, outcome === 'done' ? null : outcome.again);
    call.ring();
    await written;
  };
  const keep = (settling: Promise<unknown>) => {
    begun.add(settling);
    void settling.finally(() => begun.delete(settling));
  };
  const take = async () => {
    const { atOnce, perLane } = work;
    const free = atOnce - hands.busy();
    const { inHand } = hands;
    const { jobs, next } = await writer.run({ kind: 'take', worker, free, perLane, inHand, now: now() });
    // The signal may have come meanwhile; what is not begun is for others.
    for (const job of jobs) keep(signal.aborted ? finish(job.id, now()) : doOne(job));
    // There may be more of lanes that have had less than they may.
    if (jobs.length > 0 && jobs.length < free) return 0;
    return Math.min(lookEveryMs, next === null ? lookEveryMs : next - now());
  };

  while (!signal.aborted) {
    const pauseMs = await take().catch(() => lookEveryMs);
    if (pauseMs > 0) await call.wait(pauseMs, signal);
  }
  await Promise.all(begun);
  await writeSurely(working, { kind: 'leave', worker });
};

/** Shared by all processes on this data directory; survives them, but not for certain a power cut. */
export const sqliteJobs = async (path: string, now: () => number = Date.now): Promise<Jobs> => {
  const writer: Writer = await startThread('jobs-writer', { path });
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
    // A file loses nothing while it is open.
    identity: async () => path,
    close: async () => {
      closing.abort();
      await Promise.all(workers);
      await writer.close();
    },
  };
};
