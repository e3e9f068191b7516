import type { Redis } from 'ioredis';
import type { Job } from '../../application/ports/jobs.js';
import { unavailable } from '../unavailable.js';
import { scripts } from './fair-queue-scripts.js';

/**
 * Request of a shift after a job has ended: record its outcome and return the next one. `holder` distinguishes the
 * worker that runs the shift from an earlier one.
 */
export type Step = {
  readonly shift: string;
  readonly holder: string;
  /** Id of the ended job; empty when the shift begins. */
  readonly finished: string;
  /** Unix ms at which the ended job is to be done again; null if it is done. */
  readonly again: number | null;
  readonly goesOn: boolean;
};

/** A process that does jobs, and the prefix under which BullMQ keeps the shifts. */
type Workplace = {
  readonly worker: string;
  readonly atOnce: number;
  readonly perOrganization: number;
  readonly perLane: number;
  readonly shiftKeys: string;
};

type Place = Pick<Job, 'organization' | 'lane'>;
const laneKey = ({ organization, lane }: Place) => `${organization} ${lane}`;
const placeOf = (key: string): Place => {
  const end = key.indexOf(' ');
  return { organization: key.slice(0, end), lane: key.slice(end + 1) };
};

/**
 * Keeps the jobs of all lanes under keys that begin with `root`, and chooses the next one. The caller must hand the
 * shifts in an answer to BullMQ. Another layout takes another root, since open deliveries are put again into an empty
 * queue.
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
    /** Returns the next job of each shift; null if the shift has ended. */
    step: async (steps: readonly Step[]): Promise<(Job | null)[]> => {
      const given = steps.flatMap(({ shift, holder, finished, again, goesOn }) => [
        shift,
        holder,
        finished,
        again ?? '',
        goesOn ? 1 : 0,
      ]);
      const jobs = await run<string[]>('chainfoldJobsStep', given);
      return steps.map((_, i) => (jobs[2 * i] ? { id: jobs[2 * i] ?? '', ...placeOf(jobs[2 * i + 1] ?? '') } : null));
    },
    /**
     * Begins shifts for due jobs and puts back the jobs of lost shifts; `next` is the time at which more jobs come due.
     */
    tend: async ({ worker, atOnce, perOrganization, perLane, shiftKeys }: Workplace) => {
      const given = [worker, atOnce, perOrganization, perLane, shiftKeys];
      const [begun, next] = await run<[string[], string]>('chainfoldJobsTend', given);
      return { begun, next: next === '' ? null : Number(next) };
    },
    count: () => redis.hlen(`${root}:lane-of`).catch(unavailable('Redis')),
  };
};
