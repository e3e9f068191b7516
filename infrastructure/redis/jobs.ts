import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { linkedController } from '../../application/async/linked-controller.js';
import type { Jobs } from '../../application/ports/jobs.js';
import type { Log } from '../../application/ports/system.js';
import { withDeadline } from '../deadline.js';
import { unavailable } from '../unavailable.js';
import { defaultLeaseMs, runBullmqWorker } from './bullmq-worker.js';
import { connectRedis, defaultTimeoutMs, rootIn } from './connection.js';
import { createFairQueue } from './fair-queue.js';

/** Maximum number of jobs per call, so that a large put does not block Redis. */
const atOnce = 1000;
/** Milliseconds that BullMQ gets to enqueue shifts, in addition to the timeout of a command. */
const enqueueTimeoutMs = 1000;

const parts = <T>(all: readonly T[]) =>
  Array.from({ length: Math.ceil(all.length / atOnce) }, (_, i) => all.slice(i * atOnce, (i + 1) * atOnce));

/**
 * Returns a text that changes when Redis may have lost jobs. A flushed server has lost the mark, a key with a random
 * value. A restarted server, which may have loaded older data, has another run id.
 */
const identityOf = async (redis: Redis, root: string) => {
  const markKey = `${root}:turns:mark`;
  const run = /run_id:(\w+)/.exec(await redis.info('server'))?.[1] ?? '';
  await redis.set(markKey, randomUUID(), 'NX');
  return `${run} ${await redis.get(markKey)}`;
};

/**
 * Milliseconds after which a worker that does not renew its leases counts as dead, and after which a Redis command
 * fails.
 */
type JobsTimeouts = { readonly leaseMs?: number; readonly timeoutMs?: number };

/**
 * Job queue over BullMQ shifts. A shift is one BullMQ job in which a worker runs our jobs one after the other. BullMQ
 * wakes workers, distributes the shifts and reassigns those of dead workers. The fair queue chooses the next job,
 * because a BullMQ queue is first in, first out: ten thousand jobs of one lane would delay all others. A shift is also
 * cheaper than a BullMQ job for each of our jobs. The concurrency limit of a lane holds across all processes. The limit
 * of an organization is the sum of the limits of all processes.
 */
export const bullJobs = async (url: string, log: Log, namespace = '', timeouts: JobsTimeouts = {}): Promise<Jobs> => {
  const { leaseMs = defaultLeaseMs, timeoutMs = defaultTimeoutMs } = timeouts;
  const redis = await connectRedis(url, log, timeoutMs);
  const root = rootIn(namespace);
  const lanes = createFairQueue(redis, `${root}:turns`);
  const queue = new Queue('shifts', {
    connection: redis,
    prefix: root,
    streams: { events: { maxLen: 100 } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  // Errors are ignored here, because the connection already logs them.
  queue.on('error', () => undefined);
  const closing = new AbortController();
  const workers = new Set<Promise<void>>();

  const startShifts = async (shifts: readonly string[]) => {
    if (shifts.length === 0) return;
    const added = queue.addBulk(shifts.map((shift) => ({ name: 'shift', data: {}, opts: { jobId: shift } })));
    await withDeadline(added, timeoutMs + enqueueTimeoutMs).catch(unavailable('Redis'));
  };

  return {
    put: async (jobs) => {
      for (const part of parts(jobs)) await startShifts(await lanes.put(part));
    },
    remove: async (ids) => {
      for (const part of parts(ids)) await lanes.remove(part);
    },
    work: async (work, signal) => {
      const stop = linkedController(signal, closing.signal);
      const working = runBullmqWorker(work, { queue, redis, lanes, startShifts, log, leaseMs, signal: stop.signal });
      workers.add(working);
      await working.finally(() => stop.abort());
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
