import { createBackoff } from './backoff.js';

type Surroundings = {
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  readonly log: { warn(facts: object, message: string): void };
};

/** Items that wait in a lane of their organization each; organizations are served in turn. */
export type OrganizationQueue<T> = {
  add(organizationId: string, item: T): void;
  run(signal: AbortSignal): Promise<void>;
};

type Options<T> = {
  readonly name: string;
  /** Organizations served at once; no organization is served twice at once. */
  readonly atOnce: number;
  /** Does one bounded piece of work, and removes from the lane what is done. */
  readonly work: (lane: Set<T>, organizationId: string) => Promise<void>;
};

/** Returns the items that wait longest. */
export const firstOf = <T>(lane: ReadonlySet<T>, most: number): T[] => {
  const found: T[] = [];
  for (const item of lane) {
    if (found.length >= most) break;
    found.push(item);
  }
  return found;
};

/** Waits for all of them before it rejects with the first failure, so that no work goes on behind a lane's back. */
export const allDone = async <T>(doing: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(doing);
  return Promise.all(doing);
};

const patienceMs = { firstMs: 200, maxMs: 5000 };

/**
 * Serves organizations in turn, one bounded piece of work each, so that nobody waits for more than one piece of each
 * other organization. A piece that fails is tried again after a pause, during which only its own organization waits.
 */
export const createOrganizationQueue = <T>(
  system: Surroundings,
  { name, atOnce, work }: Options<T>,
): OrganizationQueue<T> => {
  const lanes = new Map<string, Set<T>>();
  const backoffs = new Map<string, ReturnType<typeof createBackoff>>();
  /** Organizations with items that are neither being served nor pausing, in the order of their turns. */
  const ready = new Set<string>();
  const started = new Set<Promise<void>>();
  let served = 0;
  let wake = () => {};

  const line = (organizationId: string) => {
    ready.add(organizationId);
    wake();
  };
  const pauseAfter = (organizationId: string, error: unknown, signal: AbortSignal) => {
    const backoff = backoffs.get(organizationId) ?? createBackoff(patienceMs);
    backoffs.set(organizationId, backoff);
    const ms = backoff.next();
    system.log.warn({ process: name, organization: organizationId, ms, err: error }, 'work failed and is tried again');
    return system.sleep(ms, signal);
  };
  /** Returns the failure, if there was one; a pause after it takes no other organization's place. */
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
    if (lane.size > 0) return line(organizationId);
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
      line(organizationId);
    },
    run: async (signal) => {
      signal.addEventListener('abort', () => wake(), { once: true });
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
