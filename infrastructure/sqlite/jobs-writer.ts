import type { Job } from '../../application/ports/jobs.js';
import { type Database, inTransaction, openDatabase } from './database.js';
import { createLeases } from './leases.js';
import { serveThread } from './thread.js';

/** `now` comes along, since the clock of the caller cannot be sent to a thread. */
export type JobsRequest =
  | { readonly kind: 'put'; readonly jobs: readonly (Job & { readonly at: number })[]; readonly now: number }
  | { readonly kind: 'remove'; readonly ids: readonly string[] }
  | Take
  | Finish
  | { readonly kind: 'leave'; readonly worker: string }
  | { readonly kind: 'count' };

type Take = {
  readonly kind: 'take';
  readonly worker: string;
  readonly free: number;
  readonly perLane: number;
  /** How many of each lane the worker has in hand. */
  readonly inHand: ReadonlyMap<string, number>;
  readonly now: number;
};

type Finish = {
  readonly kind: 'finish';
  readonly worker: string;
  readonly id: string;
  readonly again: number | null;
  readonly now: number;
};

export type JobsAnswer = {
  readonly jobs: readonly Job[];
  /** When the next job comes due that was not when these were taken. */
  readonly next: number | null;
  readonly count: number;
};

/** A lane that had nothing to do goes before those that were served less than this ago, however many they are. */
const creditMs = 10_000;
const nothing: JobsAnswer = { jobs: [], next: null, count: 0 };

/**
 * A lane with waiting jobs stands in `lanes` under its turn: when its first job is due, or when it was last served if
 * that is later. Whoever takes jobs goes by turns, so that lanes are served one after the other however many jobs one
 * has, and neither a long lane nor many with nothing due cost anything.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, lane TEXT NOT NULL, at INTEGER NOT NULL, worker TEXT, removed INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS jobs_waiting ON jobs (lane, at) WHERE worker IS NULL;
  CREATE INDEX IF NOT EXISTS jobs_in_hand ON jobs (worker) WHERE worker IS NOT NULL;
  CREATE TABLE IF NOT EXISTS lanes (lane TEXT PRIMARY KEY, turn INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS lanes_by_turn ON lanes (turn);
  CREATE TABLE IF NOT EXISTS workers (id TEXT PRIMARY KEY, beat INTEGER NOT NULL) WITHOUT ROWID;`;

const prepare = (db: Database) => ({
  // One that was removed while it is being done is wanted again.
  insert: db.prepare(
    `INSERT INTO jobs (id, lane, at) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET removed = 0 WHERE removed = 1 RETURNING worker`,
  ),
  // A lane that is called already for that time or before keeps its turn.
  call: db.prepare(
    'INSERT INTO lanes VALUES ($lane, $turn) ON CONFLICT (lane) DO UPDATE SET turn = excluded.turn WHERE turn > $at',
  ),
  dueLanes: db.prepare('SELECT lane FROM lanes WHERE turn <= ? ORDER BY turn LIMIT ?'),
  nextTurn: db.prepare('SELECT min(turn) AS turn FROM lanes WHERE turn > ?'),
  setTurn: db.prepare('UPDATE lanes SET turn = ? WHERE lane = ?'),
  dropLane: db.prepare('DELETE FROM lanes WHERE lane = ?'),
  waiting: db.prepare('SELECT rowid AS row, id, at FROM jobs WHERE lane = ? AND worker IS NULL ORDER BY at LIMIT ?'),
  claim: db.prepare('UPDATE jobs SET worker = ? WHERE rowid = ?'),
  end: db.prepare('DELETE FROM jobs WHERE id = ? AND worker = ?'),
  putBack: db.prepare(
    'UPDATE jobs SET worker = NULL, at = ? WHERE id = ? AND worker = ? AND removed = 0 RETURNING lane',
  ),
  drop: db.prepare('DELETE FROM jobs WHERE id = ? AND worker IS NULL RETURNING lane'),
  markRemoved: db.prepare('UPDATE jobs SET removed = 1 WHERE id = ?'),
  count: db.prepare('SELECT count(*) AS count FROM jobs'),
});
type Statements = ReturnType<typeof prepare>;

const put = (run: Statements, job: Job & { readonly at: number }, now: number) => {
  // Due long ago is due now: it must not overtake what waits already.
  const at = Math.max(job.at, now);
  const added = run.insert.get(job.id, job.lane, at) as { worker: string | null } | undefined;
  if (added?.worker === null) run.call.run({ lane: job.lane, at, turn: at > now ? at : now - creditMs });
};

const remove = (run: Statements, id: string) => {
  const waited = run.drop.get(id) as { lane: string } | undefined;
  if (!waited) run.markRemoved.run(id);
  else if (!run.waiting.get(waited.lane, 1)) run.dropLane.run(waited.lane);
};

const finish = (run: Statements, { worker, id, again, now }: Finish) => {
  const at = again === null ? null : Math.max(again, now);
  const waits = at === null ? undefined : (run.putBack.get(at, id, worker) as { lane: string } | undefined);
  if (waits) run.call.run({ ...waits, at, turn: at });
  else run.end.run(id, worker);
};

const serve = (run: Statements, lane: string, most: number, { worker, now }: Take): Job[] => {
  const rows = run.waiting.all(lane, most + 1) as { row: number; id: string; at: number }[];
  const due = rows.slice(0, most).filter(({ at }) => at <= now);
  for (const { row } of due) run.claim.run(worker, row);
  const next = rows[due.length];
  if (next) run.setTurn.run(Math.max(next.at, now), lane);
  else run.dropLane.run(lane);
  return due.map(({ id }) => ({ id, lane }));
};

const take = (run: Statements, request: Take): Job[] => {
  const { free, perLane, inHand, now } = request;
  if (free <= 0) return [];
  const roomIn = (lane: string) => perLane - (inHand.get(lane) ?? 0);
  const full = [...inHand.keys()].filter((lane) => roomIn(lane) <= 0).length;
  const lanes = (run.dueLanes.all(now, free + full) as { lane: string }[])
    .map(({ lane }) => lane)
    .filter((lane) => roomIn(lane) > 0);
  const jobs: Job[] = [];
  for (const [i, lane] of lanes.entries()) {
    const share = Math.ceil((free - jobs.length) / (lanes.length - i));
    if (share > 0) jobs.push(...serve(run, lane, Math.min(share, roomIn(lane)), request));
  }
  return jobs;
};

serveThread<{ path: string }, JobsRequest, JobsAnswer>(({ path }) => {
  const db = openDatabase(path, 'relaxed');
  db.exec(schema);
  const run = prepare(db);
  const leases = createLeases(db, (lane, now) => run.call.run({ lane, at: now, turn: now }));

  const answer = (request: JobsRequest): JobsAnswer => {
    switch (request.kind) {
      case 'put':
        for (const job of request.jobs) put(run, job, request.now);
        return nothing;
      case 'remove':
        for (const id of request.ids) remove(run, id);
        return nothing;
      case 'take': {
        leases.release(request.now);
        const jobs = take(run, request);
        if (jobs.length > 0) leases.begin(request.worker);
        return { ...nothing, jobs, next: (run.nextTurn.get(request.now) as { turn: number | null }).turn };
      }
      case 'finish':
        finish(run, request);
        return nothing;
      case 'leave':
        leases.leave(request.worker);
        return nothing;
      case 'count':
        return { ...nothing, count: (run.count.get() as { count: number }).count };
    }
  };
  return (requests) => inTransaction(db, () => requests.map(answer));
});
