import type { Redis } from 'ioredis';
import type { Job } from '../../application/ports/jobs.js';
import { unavailable } from '../unavailable.js';
import { scripts } from './fair-queue-scripts.js';

/**
 * Request of a shift, a BullMQ job in which a worker runs our jobs one after the other. With the request, the shift
 * reports the outcome of its finished job and asks for the next job. `holder` distinguishes the worker that runs the
 * shift from a previous worker of the same shift.
 */
export type Step = {
  readonly shift: string;
  readonly holder: string;
  /** Id of the finished job; empty when the shift starts. */
  readonly finished: string;
  /** Unix ms at which the finished job runs again; `null` if it is done. */
  readonly again: number | null;
  readonly continues: boolean;
};

/** Process that runs jobs, its limits, and the prefix of BullMQ's keys for shifts. */
type WorkerLimits = {
  readonly worker: string;
  readonly atOnce: number;
  readonly perOrganization: number;
  readonly perLane: number;
  readonly shiftKeys: string;
};

type LaneId = Pick<Job, 'organization' | 'lane'>;
const laneKey = ({ organization, lane }: LaneId) => `${organization} ${lane}`;
const parseLaneKey = (key: string): LaneId => {
  const end = key.indexOf(' ');
  return { organization: key.slice(0, end), lane: key.slice(end + 1) };
};

/**
 * Creates a queue, which stores the jobs of all lanes under keys with the prefix `root` and chooses the next job. The
 * caller must pass returned shifts on to BullMQ. A release that changes the key layout must use another `root`: the new
 * queue is empty at first, and open deliveries are put into it again.
 */
export const createFairQueue = (redis: Redis, root: string) => {
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { numberOfKeys: 1, lua });
  const run = async <T>(name: keyof typeof scripts, given: readonly (string | number)[]): Promise<T> => {
    const known = redis as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    return (await known[name]?.(root, ...given).catch(unavailable('Redis'))) as T;
  };
  return {
    put: (jobs: readonly (Job & { readonly at: number })[]) =>
      run<string[]>(
        'chainfoldJobsPut',
        jobs.flatMap(({ id, at, ...place }) => [id, laneKey(place), at]),
      ),
    remove: (ids: readonly string[]) => run<string[]>('chainfoldJobsRemove', ids),
    /** Returns the next job of each shift, or null for a shift that has ended. */
    step: async (steps: readonly Step[]): Promise<(Job | null)[]> => {
      const given = steps.flatMap(({ shift, holder, finished, again, continues }) => [
        shift,
        holder,
        finished,
        again ?? '',
        continues ? 1 : 0,
      ]);
      const jobs = await run<string[]>('chainfoldJobsStep', given);
      return steps.map((_, i) =>
        jobs[2 * i] ? { id: jobs[2 * i] ?? '', ...parseLaneKey(jobs[2 * i + 1] ?? '') } : null,
      );
    },
    /**
     * Starts shifts for due jobs and puts back the jobs of lost shifts. `next` is the time when more jobs are due, in
     * Unix ms; null if there are none.
     */
    maintain: async ({ worker, atOnce, perOrganization, perLane, shiftKeys }: WorkerLimits) => {
      const given = [worker, atOnce, perOrganization, perLane, shiftKeys];
      const [begun, next] = await run<[string[], string]>('chainfoldJobsTend', given);
      return { begun, next: next === '' ? null : Number(next) };
    },
    count: () => redis.hlen(`${root}:lane-of`).catch(unavailable('Redis')),
  };
};
