import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Jobs } from '../../application/ports/jobs.js';
import type { Log } from '../../application/ports/system.js';
import { withDeadline } from '../deadline.js';
import { unavailable } from '../unavailable.js';
import { workShifts } from './bullmq-worker.js';
import { connectRedis } from './connection.js';
import { createLanes } from './fair-queue.js';

/** So that Redis is not kept from others when many are put at once. */
const atOnce = 1000;
const answerMs = 3000;
const markKey = 'chainfold:jobs:mark';

const parts = <T>(all: readonly T[]) =>
  Array.from({ length: Math.ceil(all.length / atOnce) }, (_, i) => all.slice(i * atOnce, (i + 1) * atOnce));

/** One that was emptied has forgotten the mark; one that was started anew may have come back with less than it had. */
const identityOf = async (redis: Redis) => {
  const run = /run_id:(\w+)/.exec(await redis.info('server'))?.[1] ?? '';
  await redis.set(markKey, randomUUID(), 'NX');
  return `${run} ${await redis.get(markKey)}`;
};

/**
 * What BullMQ hands out are shifts, in which a worker does one job after the other: it wakes workers, shares the work
 * between them and gives what the dead had in hand to the living. Which job is next the lanes say, because a queue of
 * BullMQ is first come, first served: ten thousand jobs of one lane in it would delay everybody's. A shift spares it
 * the cost of a queued job for each of ours, too. No more of a lane are done at once by all processes together than one may.
 */
export const bullJobs = async (url: string, log: Log): Promise<Jobs> => {
  const redis = await connectRedis(url, log);
  const lanes = createLanes(redis);
  const queue = new Queue('shifts', {
    connection: redis,
    prefix: 'chainfold',
    streams: { events: { maxLen: 100 } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  // The connection has told already.
  queue.on('error', () => undefined);
  const closing = new AbortController();
  const workers = new Set<Promise<void>>();

  const begin = async (shifts: readonly string[]) => {
    if (shifts.length === 0) return;
    const added = queue.addBulk(shifts.map((shift) => ({ name: 'shift', data: {}, opts: { jobId: shift } })));
    await withDeadline(added, answerMs).catch(unavailable('Redis'));
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
      const working = workShifts(work, { queue, redis, lanes, begin, log, signal: either });
      workers.add(working);
      await working;
      workers.delete(working);
    },
    count: lanes.count,
    identity: () => identityOf(redis).catch(unavailable('Redis')),
    close: async () => {
      closing.abort();
      await Promise.all(workers);
      await queue.close();
      redis.disconnect();
    },
  };
};
