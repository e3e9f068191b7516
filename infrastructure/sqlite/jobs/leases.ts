import type { Job } from '../../../application/ports/jobs.js';
import type { Database } from '../database.js';

type LaneId = Pick<Job, 'organization' | 'lane'>;

const heartbeatIntervalMs = 1000;
const pollIntervalMs = 100;
/**
 * Milliseconds without a heartbeat after which a worker counts as dead. The worker's jobs run again within five
 * seconds.
 */
export const defaultLeaseMs = 3500;

/**
 * Creates the manager of leases on jobs. A worker with running jobs increments its heartbeat every second. When another
 * process sees the heartbeat unchanged for `leaseMs`, it puts the worker's jobs back. Clocks of different processes are
 * never compared: setting a clock therefore cannot end a lease.
 */
export const createLeases = (db: Database, leaseMs: number, requeue: (place: LaneId, now: number) => void) => {
  const beat = db.prepare(
    `INSERT INTO workers SELECT $worker, $beat WHERE EXISTS (SELECT 1 FROM jobs WHERE worker = $worker)
     ON CONFLICT (id) DO UPDATE SET beat = excluded.beat`,
  );
  const workers = db.prepare('SELECT id, beat FROM workers');
  const removeWorker = db.prepare('DELETE FROM workers WHERE id = ? AND beat = ?');
  const forget = db.prepare(
    'DELETE FROM workers WHERE id = $worker AND NOT EXISTS (SELECT 1 FROM jobs WHERE worker = $worker)',
  );
  const dropRemoved = db.prepare('DELETE FROM jobs WHERE worker = ? AND removed = 1');
  const putBack = db.prepare('UPDATE jobs SET worker = NULL WHERE worker = ? RETURNING organization, lane');

  const own = new Set<string>();
  /** Last heartbeat of each worker of other processes, and for how many milliseconds that heartbeat has not changed. */
  let seen = new Map<string, { beat: number; ms: number }>();
  let beats = 0;
  let polledAt = performance.now();

  // The heartbeat runs on this thread, so that a main thread that is busy for seconds does not lose its jobs.
  setInterval(() => {
    try {
      for (const worker of own) beat.run({ worker, beat: ++beats });
    } catch {
      // Failed heartbeats are ignored: a database that rejects writes also prevents other workers from taking the jobs,
      // and the next heartbeat may succeed.
    }
  }, heartbeatIntervalMs);

  const putBackJobs = (worker: string, lastBeat: number, now: number) => {
    if (Number(removeWorker.run(worker, lastBeat).changes) === 0) return;
    dropRemoved.run(worker);
    for (const place of putBack.all(worker) as LaneId[]) requeue(place, now);
  };

  return {
    /** Puts back the jobs of dead workers. */
    release: (now: number) => {
      const elapsed = performance.now() - polledAt;
      if (elapsed < pollIntervalMs) return;
      polledAt += elapsed;
      const others = (workers.all() as { id: string; beat: number }[]).filter(({ id }) => !own.has(id));
      // Caps the interval: a process that was suspended did not observe the other workers meanwhile.
      const watched = Math.min(elapsed, 2 * pollIntervalMs);
      const observe = ({ id, beat }: { id: string; beat: number }) => {
        const before = seen.get(id);
        return [id, { beat, ms: before?.beat === beat ? before.ms + watched : 0 }] as const;
      };
      seen = new Map(others.map(observe));
      for (const [id, { beat, ms }] of seen) if (ms >= leaseMs) putBackJobs(id, beat, now);
    },
    /**
     * Starts the heartbeat of a worker. Must run in the transaction that takes its jobs, so that every job has a lease.
     */
    begin: (worker: string) => {
      own.add(worker);
      beat.run({ worker, beat: ++beats });
    },
    /** Stops the heartbeat. Other processes put back jobs that are still running, as after a crash. */
    leave: (worker: string) => {
      own.delete(worker);
      forget.run({ worker });
    },
  };
};
