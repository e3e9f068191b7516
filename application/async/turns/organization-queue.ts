import { createBackoff } from '../backoff.js';

type System = {
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  readonly log: { warn(facts: object, message: string): void };
};

/**
 * Queue with one lane per organization. A lane holds the unfinished items of its organization. Organizations are served
 * round-robin.
 */
export type OrganizationQueue<T> = {
  add(organizationId: string, item: T): void;
  run(signal: AbortSignal): Promise<void>;
};

type Options<T> = {
  readonly name: string;
  /**
   * Maximum number of organizations that are served concurrently. No organization is served twice at the same time.
   */
  readonly atOnce: number;
  /** Handles a bounded number of items and removes them from the lane. */
  readonly work: (lane: Set<T>, organizationId: string) => Promise<void>;
};

/** Returns the `count` items that have waited longest, or fewer when the lane is shorter. */
export const firstOf = <T>(lane: ReadonlySet<T>, count: number): T[] => {
  const found: T[] = [];
  for (const item of lane) {
    if (found.length >= count) break;
    found.push(item);
  }
  return found;
};

/**
 * Waits until all promises have settled, then returns their values or rejects with the first failure: no work is still
 * running when the caller continues.
 */
export const allSettledOrThrow = async <T>(doing: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(doing);
  return Promise.all(doing);
};

/** Shortest and longest pause in ms after consecutive failures of one organization. */
const retryPauses = { firstMs: 200, maxMs: 5000 };

/**
 * Creates pauses that `endAll` ends together. Node would warn of a leak if every pause listened to the signal of the
 * queue.
 */
const createPauses = (system: System) => {
  const pausing = new Set<AbortController>();
  return {
    pause: async (ms: number) => {
      const one = new AbortController();
      pausing.add(one);
      await system.sleep(ms, one.signal);
      pausing.delete(one);
    },
    endAll: () => {
      for (const one of pausing) one.abort();
    },
  };
};

/**
 * Creates a queue that serves organizations round-robin, with one call of `work` each, so that an organization waits
 * for at most one call of every other organization. A failed call is retried after a pause. The pause delays only the
 * organization that failed.
 */
export const createOrganizationQueue = <T>(
  system: System,
  { name, atOnce, work }: Options<T>,
): OrganizationQueue<T> => {
  const lanes = new Map<string, Set<T>>();
  const backoffs = new Map<string, ReturnType<typeof createBackoff>>();
  /** Organizations that have items and are neither being served nor pausing, in round-robin order. */
  const ready = new Set<string>();
  const started = new Set<Promise<void>>();
  const pauses = createPauses(system);
  let served = 0;
  let wake = () => {};

  const enqueueTurn = (organizationId: string) => {
    ready.add(organizationId);
    wake();
  };
  const pauseAfter = async (organizationId: string, error: unknown, signal: AbortSignal) => {
    const backoff = backoffs.get(organizationId) ?? createBackoff(retryPauses);
    backoffs.set(organizationId, backoff);
    const ms = backoff.next();
    system.log.warn(
      { process: name, organization: organizationId, retryInMs: ms, err: error },
      'Work of an organization failed; retrying',
    );
    if (!signal.aborted) await pauses.pause(ms);
  };
  /**
   * Returns the failure, or null after a success. Frees the slot before the organization pauses, so that another
   * organization can use the slot.
   */
  const tryWork = async (lane: Set<T>, organizationId: string) => {
    served++;
    try {
      await work(lane, organizationId);
      backoffs.delete(organizationId);
      return null;
    } catch (error) {
      return { error };
    } finally {
      served--;
      wake();
    }
  };
  const serve = async (organizationId: string, signal: AbortSignal) => {
    const lane = lanes.get(organizationId) as Set<T>;
    const failure = await tryWork(lane, organizationId);
    if (failure) await pauseAfter(organizationId, failure.error, signal);
    if (lane.size > 0) return enqueueTurn(organizationId);
    lanes.delete(organizationId);
  };
  const startNext = (signal: AbortSignal) => {
    const [organizationId = ''] = ready;
    ready.delete(organizationId);
    const one = serve(organizationId, signal).finally(() => started.delete(one));
    started.add(one);
  };

  return {
    add: (organizationId, item) => {
      const lane = lanes.get(organizationId);
      if (lane) return void lane.add(item);
      lanes.set(organizationId, new Set([item]));
      enqueueTurn(organizationId);
    },
    run: async (signal) => {
      const end = () => {
        pauses.endAll();
        wake();
      };
      signal.addEventListener('abort', end, { once: true });
      while (!signal.aborted) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        while (served < atOnce && ready.size > 0) startNext(signal);
        await woken;
      }
      await Promise.all(started);
    },
  };
};
