import { linkedController } from '../../../application/async/linked-controller.js';
import type { Job, JobOutcome, Jobs } from '../../../application/ports/jobs.js';
import type { Gate } from './gate.js';

/**
 * Job in the queue. `worker` names the worker that has taken the job, and that must renew its lease before `until`
 * (Unix ms).
 */
type Queued = Job & {
  at: number;
  readonly number: number;
  worker?: string | undefined;
  until: number;
  /**
   * Time (Unix ms) at which the job is due again, because it was added while it was running; the earliest if it was
   * added repeatedly. Undefined if it was not added.
   */
  again?: number | undefined;
  isRemoved?: boolean;
};
type Work = Parameters<Jobs['work']>[0];

export const simulatedLeaseMs = 4000;
const renewals = 3;
const failedRetryMs = 1000;

/**
 * Creates the table of the jobs of all processes. The table also records when organizations and lanes had their last
 * turn.
 */
export const createJobTable = () => {
  const queued = new Map<string, Queued>();
  const turns = new Map<string, number>();
  const listeners = new Set<() => void>();
  let added = 0;
  let taken = 0;
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  const isFree = ({ worker, until }: Queued, now: number) => worker === undefined || until <= now;
  const turnOf = (key: string) => turns.get(key) ?? 0;
  const laneOf = ({ organization, lane }: Job) => `${organization} ${lane}`;
  const isNext = (a: Queued, b: Queued) =>
    turnOf(a.organization) - turnOf(b.organization) ||
    turnOf(laneOf(a)) - turnOf(laneOf(b)) ||
    a.at - b.at ||
    a.number - b.number;

  return {
    queued,
    listen: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    put: (jobs: readonly (Job & { readonly at: number })[], now: number) => {
      for (const { id, organization, lane, at } of jobs) {
        const found = queued.get(id);
        if (!found) queued.set(id, { id, organization, lane, at, number: added++, until: 0 });
        else if (isFree(found, now)) found.at = Math.min(found.at, at);
        else {
          found.again = Math.min(found.again ?? at, at);
          found.isRemoved = false;
        }
      }
      changed();
    },
    remove: (ids: readonly string[], now: number) => {
      for (const id of ids) {
        const found = queued.get(id);
        if (found && isFree(found, now)) queued.delete(id);
        else if (found) {
          found.isRemoved = true;
          found.again = undefined;
        }
      }
    },
    /**
     * Takes a due job of the organization and lane that have waited longest. Returns null if no job is due, or if the
     * limits allow none of the due jobs.
     */
    take: (worker: string, limits: Work, running: readonly Job[], leaseMs: number, now: number): Queued | null => {
      const count = (isSame: (job: Job) => boolean) => running.filter(isSame).length;
      const isAllowed = (job: Queued) =>
        count(({ organization }) => organization === job.organization) < limits.perOrganization &&
        count((one) => laneOf(one) === laneOf(job)) < limits.perLane;
      let found: Queued | null = null;
      for (const job of queued.values())
        if (job.at <= now && isFree(job, now) && (found === null || isNext(job, found) < 0) && isAllowed(job))
          found = job;
      if (!found) return null;
      taken++;
      for (const key of [found.organization, laneOf(found)]) turns.set(key, taken);
      [found.worker, found.until] = [worker, now + leaseMs];
      return found;
    },
    renew: (worker: string, leaseMs: number, now: number) => {
      for (const job of queued.values()) if (job.worker === worker) job.until = now + leaseMs;
    },
    finish: (worker: string, id: string, outcome: JobOutcome) => {
      const found = queued.get(id);
      if (found?.worker !== worker) return;
      const asked = outcome === 'done' ? undefined : outcome.again;
      const at = found.isRemoved ? undefined : (found.again ?? asked);
      if (at === undefined) queued.delete(id);
      else queued.set(id, { ...found, at, worker: undefined, until: 0, again: undefined });
      changed();
    },
    /**
     * Returns the time (Unix ms) at which the next job is due, or at which the lease of its worker ends; null for an
     * empty queue.
     */
    nextAt: (now: number): number | null => {
      const times = [...queued.values()].map((job) => (isFree(job, now) ? job.at : job.until));
      return times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b));
    },
  };
};

export type JobTable = ReturnType<typeof createJobTable>;

/** Waits until the table changes, the signal aborts or the time has passed. */
const changeOf = (table: JobTable, gate: Gate, ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const over = new AbortController();
    const end = () => {
      stop();
      signal.removeEventListener('abort', end);
      over.abort();
      resolve();
    };
    const stop = table.listen(end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) return end();
    if (Number.isFinite(ms)) void gate.sleep(ms, over.signal).then(end);
  });

/** Opens the queue for one process; `name` names its workers. */
export const simulatedJobs = (table: JobTable, gate: Gate, name: string, leaseMs = simulatedLeaseMs): Jobs => {
  const call = <T>(what: string, effect: () => T) => gate.call(`jobs.${what}`, effect);
  const closing = new AbortController();
  const working = new Set<Promise<void>>();
  let workers = 0;

  const insist = async (what: string, effect: () => void) => {
    while (
      !(await call(what, effect).then(
        () => true,
        () => false,
      ))
    )
      await gate.sleep(failedRetryMs);
  };
  /** Creates a worker, which runs jobs and renews their leases while they run. */
  const createWorker = (work: Work) => {
    const worker = `${name}.${workers++}`;
    const running = new Map<string, Job>();
    const begun = new Set<Promise<void>>();
    const outcomeOf = (job: Job) =>
      (async () => work.run(job))().catch((): JobOutcome => ({ again: gate.now() + failedRetryMs }));
    const runJob = async (job: Job) => {
      const outcome = await outcomeOf(job);
      running.delete(job.id);
      await insist('finish', () => table.finish(worker, job.id, outcome));
    };
    return {
      start: ({ id, organization, lane }: Queued) => {
        const job = { id, organization, lane };
        running.set(id, job);
        const done = runJob(job).finally(() => begun.delete(done));
        begun.add(done);
      },
      /** Takes a job if there is a free slot and a due job. */
      take: async () => {
        if (running.size >= work.atOnce) return null;
        const taken = () => table.take(worker, work, [...running.values()], leaseMs, gate.now());
        return call('take', taken).catch(() => null);
      },
      putBack: ({ id, at }: Queued) => table.finish(worker, id, { again: at }),
      keep: async (signal: AbortSignal) => {
        const renew = () => table.renew(worker, leaseMs, gate.now());
        while (running.size > 0 || !signal.aborted) {
          await gate.sleep(leaseMs / renewals, running.size > 0 ? undefined : signal);
          if (running.size > 0) await call('renew', renew).catch(() => undefined);
        }
      },
      ended: () => Promise.all(begun),
    };
  };
  const run = async (work: Work, signal: AbortSignal) => {
    const worker = createWorker(work);
    const kept = worker.keep(signal);
    const untilNext = () => Math.max(1, (table.nextAt(gate.now()) ?? Number.POSITIVE_INFINITY) - gate.now());
    while (!signal.aborted) {
      const job = await worker.take();
      if (!job) await changeOf(table, gate, untilNext(), signal);
      else if (signal.aborted) worker.putBack(job);
      else worker.start(job);
    }
    await worker.ended();
    await kept;
  };

  return {
    put: (jobs) => call('put', () => table.put(jobs, gate.now())),
    remove: (ids) => call('remove', () => table.remove(ids, gate.now())),
    work: (work, signal) => {
      const stop = linkedController(signal, closing.signal);
      const done = run(work, stop.signal).finally(() => {
        stop.abort();
        working.delete(done);
      });
      working.add(done);
      return done;
    },
    count: () => call('count', () => table.queued.size),
    identity: () => call('identity', () => 'simulated'),
    close: async () => {
      closing.abort();
      await Promise.all(working);
    },
  };
};
