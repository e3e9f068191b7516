import type { Database } from './database.js';

const beatEveryMs = 1000;
const lookEveryMs = 100;
/** With the time to notice it, a dead worker's jobs are done again well within five seconds. */
const silentMs = 3500;

/**
 * A worker that has jobs in hand changes its beat every second. One whose beat others see unchanged for too long is
 * dead, and its jobs wait again. No clock is compared with another's, so none that is set can end a lease.
 */
export const createLeases = (db: Database, waitsAgain: (lane: string, now: number) => void) => {
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
  const putBack = db.prepare('UPDATE jobs SET worker = NULL WHERE worker = ? RETURNING lane');

  const own = new Set<string>();
  /** The other workers: the beat last seen, and for how long it has not changed. */
  let seen = new Map<string, { beat: number; ms: number }>();
  let beats = 0;
  let looked = performance.now();

  // On this thread, so that a main thread that is busy for seconds does not lose its jobs.
  setInterval(() => {
    try {
      for (const worker of own) beat.run({ worker, beat: ++beats });
    } catch {
      // Nobody else can write either; the next beat may.
    }
  }, beatEveryMs);

  const bringBack = (worker: string, lastBeat: number, now: number) => {
    if (Number(bury.run(worker, lastBeat).changes) === 0) return;
    dropRemoved.run(worker);
    for (const { lane } of putBack.all(worker) as { lane: string }[]) waitsAgain(lane, now);
  };

  return {
    /** Gives back what dead workers had in hand. */
    release: (now: number) => {
      const elapsed = performance.now() - looked;
      if (elapsed < lookEveryMs) return;
      looked += elapsed;
      const others = (workers.all() as { id: string; beat: number }[]).filter(({ id }) => !own.has(id));
      // A process that was halted itself has not watched the others all that time.
      const watched = Math.min(elapsed, 2 * lookEveryMs);
      const look = ({ id, beat }: { id: string; beat: number }) => {
        const before = seen.get(id);
        return [id, { beat, ms: before?.beat === beat ? before.ms + watched : 0 }] as const;
      };
      seen = new Map(others.map(look));
      for (const [id, { beat, ms }] of seen) if (ms >= silentMs) bringBack(id, beat, now);
    },
    /** To be said in the transaction in which it took jobs, so that there is no job without somebody to watch. */
    begin: (worker: string) => {
      own.add(worker);
      beat.run({ worker, beat: ++beats });
    },
    /** What it still has in hand is given back by the others, as if it had died. */
    leave: (worker: string) => {
      own.delete(worker);
      forget.run({ worker });
    },
  };
};
