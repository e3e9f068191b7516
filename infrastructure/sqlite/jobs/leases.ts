import type { Job } from '../../../application/ports/jobs.js';
import type { Database } from '../database.js';

type Place = Pick<Job, 'organization' | 'lane'>;

const heartbeatIntervalMs = 1000;
const pollIntervalMs = 100;
/** Silence after which a worker counts as dead, so that its jobs are done again well within five seconds. */
export const usualLeaseMs = 3500;

/**
 * Leases on jobs. A worker with jobs in hand changes its beat every second; if others see it unchanged for too long,
 * the worker is dead and its jobs wait again. No two clocks are compared, so that setting a clock cannot end a lease.
 */
export const createLeases = (db: Database, leaseMs: number, waitsAgain: (place: Place, now: number) => void) => {
  const beat = db.prepare(
    `INSERT INTO workers SELECT $worker, $beat WHERE EXISTS (SELECT 1 FROM jobs WHERE worker = $worker)
     ON CONFLICT (id) DO UPDATE SET beat = excluded.beat`,
  );
  const workers = db.prepare('SELECT id, beat FROM workers');
  const bury = db.prepare('DELETE FROM workers WHERE id = ? AND beat = ?');
  const forget = db.prepare(
    'DELETE FROM workers WHERE id = $worker AND NOT EXISTS (SELECT 1 FROM jobs WHERE worker = $worker)',
  );
  const dropRemoved = db.prepare('DELETE FROM jobs WHERE worker = ? AND removed = 1');
  const putBack = db.prepare('UPDATE jobs SET worker = NULL WHERE worker = ? RETURNING organization, lane');

  const own = new Set<string>();
  /** Other workers: the beat last seen, and for how long it has not changed. */
  let seen = new Map<string, { beat: number; ms: number }>();
  let beats = 0;
  let looked = performance.now();

  // Beats run on this thread, so that a main thread that is busy for seconds does not lose its jobs.
  setInterval(() => {
    try {
      for (const worker of own) beat.run({ worker, beat: ++beats });
    } catch {
      // A database that refuses this beat also refuses processes that would take the jobs; the next beat may succeed.
    }
  }, heartbeatIntervalMs);

  const bringBack = (worker: string, lastBeat: number, now: number) => {
    if (Number(bury.run(worker, lastBeat).changes) === 0) return;
    dropRemoved.run(worker);
    for (const place of putBack.all(worker) as Place[]) waitsAgain(place, now);
  };

  return {
    /** Puts back the jobs of dead workers. */
    release: (now: number) => {
      const elapsed = performance.now() - looked;
      if (elapsed < pollIntervalMs) return;
      looked += elapsed;
      const others = (workers.all() as { id: string; beat: number }[]).filter(({ id }) => !own.has(id));
      // A process that was suspended itself did not watch the others all that time.
      const watched = Math.min(elapsed, 2 * pollIntervalMs);
      const look = ({ id, beat }: { id: string; beat: number }) => {
        const before = seen.get(id);
        return [id, { beat, ms: before?.beat === beat ? before.ms + watched : 0 }] as const;
      };
      seen = new Map(others.map(look));
      for (const [id, { beat, ms }] of seen) if (ms >= leaseMs) bringBack(id, beat, now);
    },
    /** Must run in the transaction in which the worker took jobs, so that no job is without a watched worker. */
    begin: (worker: string) => {
      own.add(worker);
      beat.run({ worker, beat: ++beats });
    },
    /** Stops the beat; jobs still in hand are put back by other workers, as if this one had died. */
    leave: (worker: string) => {
      own.delete(worker);
      forget.run({ worker });
    },
  };
};
