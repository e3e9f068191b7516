import { Queue } from 'bullmq';
import type { Jobs } from '../../application/ports/jobs.js';
import type { Log } from '../../application/ports/system.js';
import { withDeadline } from '../deadline.js';
import { unavailable } from '../unavailable.js';
import { connectRedis } from './connection.js';
import { createLanes, type Visit } from './lanes.js';
import { makeVisits, type VisitQueue } from './visits.js';

/** So that Redis is not kept from others when many are put at once. */
const atOnce = 1000;
const answerMs = 3000;

const parts = <T>(all: readonly T[]) =>
  Array.from({ length: Math.ceil(all.length / atOnce) }, (_, i) => all.slice(i * atOnce, (i + 1) * atOnce));

/**
 * BullMQ hands out visits to lanes, not jobs: its queue is first come, first served, so ten thousand jobs of one lane in
 * it would delay everybody's. A lane has no more visits than jobs of it may be done at once, by all processes together.
 */
export const bullJobs = async (url: string, log: Log): Promise<Jobs> => {
  const redis = await connectRedis(url, log);
  const lanes = createLanes(redis);
  const queue: VisitQueue = new Queue('visits', {
    connection: redis,
    prefix: 'chainfold',
    streams: { events: { maxLen: 100 } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  // The connection has told already.
  queue.on('error', () => undefined);
  const closing = new AbortController();
  const workers = new Set<Promise<void>>();

  const call = async (visits: readonly Visit[]) => {
    if (visits.length === 0) return;
    const added = queue.addBulk(visits.map(({ id, lane }) => ({ name: 'visit', data: { lane }, opts: { jobId: id } })));
    await withDeadline(added, answerMs).catch(unavailable('Redis'));
  };

  return {
    put: async (jobs) => {
      for (const part of parts(jobs)) await call(await lanes.put(part));
    },
    remove: async (ids) => {
      for (const part of parts(ids)) await lanes.remove(part);
    },
    work: async (work, signal) => {
      const either = AbortSignal.any([signal, closing.signal]);
      const working = makeVisits(work, { queue, redis, lanes, call, log, signal: either });
      workers.add(working);
      await working;
      workers.delete(working);
    },
    count: lanes.count,
    close: async () => {
      closing.abort();
      await Promise.all(workers);
      await queue.close();
      redis.disconnect();
    },
  };
};
