import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Jobs } from '../../application/ports/jobs.js';
import type { Log } from '../../application/ports/system.js';
import { withDeadline } from '../deadline.js';
import { unavailable } from '../unavailable.js';
import { runBullmqWorker, usualLeaseMs } from './bullmq-worker.js';
import { connectRedis, rootIn, usualAnswerMs } from './connection.js';
import { createFairQueue } from './fair-queue.js';

/** Jobs per call, so that a large put does not block Redis for others. */
const atOnce = 1000;
/** Time beyond that of one command that BullMQ gets for its part of a put. */
const handOverMs = 1000;

const parts = <T>(all: readonly T[]) =>
  Array.from({ length: Math.ceil(all.length / atOnce) }, (_, i) => all.slice(i * atOnce, (i + 1) * atOnce));

/**
 * Returns a text that changes when Redis may have lost jobs: an emptied server has lost the mark, and a restarted one,
 * which may have reloaded older data, has another run id.
 */
const identityOf = async (redis: Redis, root: string) => {
  const markKey = `${root}:turns:mark`;
  const run = /run_id:(\w+)/.exec(await redis.info('server'))?.[1] ?? '';
  await redis.set(markKey, randomUUID(), 'NX');
  return `${run} ${await redis.get(markKey)}`;
};

/** Patience with a worker that does not renew its leases, and with Redis. */
type Patience = { readonly leaseMs?: number; readonly answerMs?: number };

/**
 * Job queue over BullMQ shifts, in which a worker does one job after the other. BullMQ wakes workers, shares the shifts
 * between them and gives those of dead workers to others. The lanes choose the next job, because a BullMQ queue is
 * first come, first served: ten thousand jobs of one lane would delay everybody's. A shift also saves the cost of a
 * queued job for each of ours. The limit on jobs of a lane at once holds over all processes; an organization may hold the
 * sum of what each process allows it.
 */
export const bullJobs = async (url: string, log: Log, namespace = '', patience: Patience = {}): Promise<Jobs> => {
  const { leaseMs = usualLeaseMs, answerMs = usualAnswerMs } = patience;
  const redis = await connectRedis(url, log, answerMs);
  const root = rootIn(namespace);
  const lanes = createFairQueue(redis, `${root}:turns`);
  const queue = new Queue('shifts', {
    connection: redis,
    prefix: root,
    streams: { events: { maxLen: 100 } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  // The connection logs its errors itself.
  queue.on('error', () => undefined);
  const closing = new AbortController();
  const workers = new Set<Promise<void>>();

  const begin = async (shifts: readonly string[]) => {
    if (shifts.length === 0) return;
    const added = queue.addBulk(shifts.map((shift) => ({ name: 'shift', data: {}, opts: { jobId: shift } })));
    await withDeadline(added, answerMs + handOverMs).catch(unavailable('Redis'));
  };

  return {
    put: async (jobs) => {
      for (const part of parts(jobs)) await begin(await lanes.put(part));
    },
    remove: async (ids) => {
      for (const part of parts(ids)) await lanes.remove(part);
    },
    work: async (work, signal) => {
      const either = AbortSignal.any([signal, closing.signal]);
      const working = runBullmqWorker(work, { queue, redis, lanes, begin, log, leaseMs, signal: either });
      workers.add(working);
      await working;
      workers.delete(working);
    },
    count: lanes.count,
    identity: () => identityOf(redis, root).catch(unavailable('Redis')),
    close: async () => {
      closing.abort();
      await Promise.all(workers);
      await queue.close();
      redis.disconnect();
    },
  };
};
