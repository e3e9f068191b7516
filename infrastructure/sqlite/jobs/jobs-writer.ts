import type { Job } from '../../../application/ports/jobs.js';
import { type Database, inTransaction, openDatabase } from '../database.js';
import { serveThread } from '../thread.js';
import { createLeases } from './leases.js';

/**
 * Requests to the writing thread. A request includes `now`, because the caller's clock function cannot be sent to a
 * thread.
 */
export type JobsRequest =
  | { readonly kind: 'put'; readonly jobs: readonly (Job & { readonly at: number })[]; readonly now: number }
  | { readonly kind: 'remove'; readonly ids: readonly string[] }
  | Take
  | Finish
  | { readonly kind: 'leave'; readonly worker: string }
  | { readonly kind: 'count' };

export type RunningJobs = ReadonlyMap<string, ReadonlyMap<string, number>>;

type Take = {
  readonly kind: 'take';
  readonly worker: string;
  readonly free: number;
  readonly perOrganization: number;
  readonly perLane: number;
  /** Number of running jobs of the worker, by organization and lane. */
  readonly running: RunningJobs;
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
  /** Unix ms at which the next job that is not due yet becomes due; `null` if there is none. */
  readonly next: number | null;
  readonly count: number;
};

/**
 * Head start in ms of a lane or organization that was idle: its turn comes before that of all lanes or organizations
 * that were served within this time.
 */
const creditMs = 10_000;
const nothing: JobsAnswer = { jobs: [], next: null, count: 0 };

const layout = 3;

/**
 * Tables of the queue. A lane with waiting jobs has a row in `lanes` with its turn: the time when its first job is due
 * or, if later, the time when the lane was last served. A lane that was idle gets a turn `creditMs` before the present
 * for a job that is already due. The organization of a lane has a row in `organizations` with a turn derived from its
 * lanes. Organizations are served by turn, and the lanes of each organization by their turns, so that all are served in
 * rotation. The cost depends neither on the number of jobs in a lane nor on the number of lanes without due jobs.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, organization TEXT NOT NULL, lane TEXT NOT NULL, at INTEGER NOT NULL, worker TEXT,
    removed INTEGER NOT NULL DEFAULT 0, put_again INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS jobs_waiting ON jobs (organization, lane, at) WHERE worker IS NULL;
  CREATE INDEX IF NOT EXISTS jobs_in_hand ON jobs (worker) WHERE worker IS NOT NULL;
  CREATE TABLE IF NOT EXISTS lanes (
    organization TEXT NOT NULL, lane TEXT NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (organization, lane)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS lanes_by_turn ON lanes (turn);
  CREATE INDEX IF NOT EXISTS lanes_of_organization ON lanes (organization, turn);
  CREATE TABLE IF NOT EXISTS organizations (organization TEXT PRIMARY KEY, turn INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS organizations_by_turn ON organizations (turn);
  CREATE TABLE IF NOT EXISTS workers (id TEXT PRIMARY KEY, beat INTEGER NOT NULL) WITHOUT ROWID;`;

/**
 * Creates the tables. Drops a queue with an older layout. No job is lost, because open deliveries are put into the
 * queue again when a deliverer starts.
 */
const createTables = (db: Database) =>
  inTransaction(db, () => {
    const found = (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
    if (found < layout) db.exec('DROP TABLE IF EXISTS jobs; DROP TABLE IF EXISTS lanes; DROP TABLE IF EXISTS workers;');
    db.exec(`${schema} PRAGMA user_version = ${layout};`);
  });

const prepare = (db: Database) => ({
  // Inserts a job. If a job with the same id exists, a waiting job is moved to an earlier time, and a running job runs
  // once more, even if it was removed meanwhile.
  insert: db.prepare(
    `INSERT INTO jobs (id, organization, lane, at) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET removed = 0, put_again = worker IS NOT NULL, at = min(at, excluded.at)
     WHERE worker IS NOT NULL OR excluded.at < at RETURNING worker, organization, lane`,
  ),
  // Queues a lane or organization for the time $turn. A lane or organization that is queued already keeps its turn,
  // unless that is later than $at.
  queueLane: db.prepare(
    `INSERT INTO lanes VALUES ($organization, $lane, $turn)
     ON CONFLICT (organization, lane) DO UPDATE SET turn = excluded.turn WHERE turn > $at`,
  ),
  queueOrganization: db.prepare(
    `INSERT INTO organizations VALUES ($organization, $turn)
     ON CONFLICT (organization) DO UPDATE SET turn = excluded.turn WHERE turn > $at`,
  ),
  dueOrganizations: db.prepare('SELECT organization FROM organizations WHERE turn <= ? ORDER BY turn LIMIT ?'),
  dueLanes: db.prepare('SELECT lane FROM lanes WHERE organization = ? AND turn <= ? ORDER BY turn LIMIT ?'),
  nextTurn: db.prepare('SELECT min(turn) AS turn FROM lanes WHERE turn > ?'),
  nextTurnOf: db.prepare('SELECT min(turn) AS turn FROM lanes WHERE organization = ?'),
  setLaneTurn: db.prepare('UPDATE lanes SET turn = ? WHERE organization = ? AND lane = ?'),
  setOrganizationTurn: db.prepare('UPDATE organizations SET turn = ? WHERE organization = ?'),
  dropLane: db.prepare('DELETE FROM lanes WHERE organization = ? AND lane = ?'),
  dropOrganization: db.prepare('DELETE FROM organizations WHERE organization = ?'),
  waiting: db.prepare(
    `SELECT rowid AS row, id, at FROM jobs
     WHERE organization = ? AND lane = ? AND worker IS NULL ORDER BY at LIMIT ?`,
  ),
  claim: db.prepare('UPDATE jobs SET worker = ? WHERE rowid = ?'),
  end: db.prepare('DELETE FROM jobs WHERE id = ? AND worker = ?'),
  putBack: db.prepare(
    `UPDATE jobs SET worker = NULL, at = iif(put_again, $now, $again), put_again = 0
     WHERE id = $id AND worker = $worker AND removed = 0 AND (put_again OR $again IS NOT NULL)
     RETURNING organization, lane, at`,
  ),
  drop: db.prepare('DELETE FROM jobs WHERE id = ? AND worker IS NULL RETURNING organization, lane'),
  markRemoved: db.prepare('UPDATE jobs SET removed = 1 WHERE id = ?'),
  count: db.prepare('SELECT count(*) AS count FROM jobs'),
});
type Statements = ReturnType<typeof prepare>;

type LaneId = Pick<Job, 'organization' | 'lane'>;

const queueLane = (run: Statements, { organization, lane }: LaneId, at: number, turn: number) => {
  run.queueLane.run({ organization, lane, at, turn });
  run.queueOrganization.run({ organization, at, turn });
};

const put = (run: Statements, job: Job & { readonly at: number }, now: number) => {
  // A time in the past becomes now, so that the job does not overtake jobs that already wait.
  const at = Math.max(job.at, now);
  const put = run.insert.get(job.id, job.organization, job.lane, at) as
    | (LaneId & { worker: string | null })
    | undefined;
  if (put?.worker === null) queueLane(run, put, at, at > now ? at : now - creditMs);
};

const remove = (run: Statements, id: string) => {
  const waited = run.drop.get(id) as LaneId | undefined;
  if (!waited) run.markRemoved.run(id);
  else if (!run.waiting.get(waited.organization, waited.lane, 1)) run.dropLane.run(waited.organization, waited.lane);
};

const finish = (run: Statements, { worker, id, again, now }: Finish) => {
  const due = again === null ? null : Math.max(again, now);
  const waits = run.putBack.get({ id, worker, now, again: due }) as (LaneId & { at: number }) | undefined;
  if (waits) queueLane(run, waits, waits.at, waits.at);
  else run.end.run(id, worker);
};

const serveLane = (run: Statements, place: LaneId, most: number, { worker, now }: Take): Job[] => {
  const { organization, lane } = place;
  const rows = run.waiting.all(organization, lane, most + 1) as { row: number; id: string; at: number }[];
  const due = rows.slice(0, most).filter(({ at }) => at <= now);
  for (const { row } of due) run.claim.run(worker, row);
  const next = rows[due.length];
  if (next) run.setLaneTurn.run(Math.max(next.at, now), organization, lane);
  else run.dropLane.run(organization, lane);
  return due.map(({ id }) => ({ id, ...place }));
};

/**
 * Distributes `most` slots fairly among the members of `all` (organizations or lanes). Slots that one member does not
 * use go to the members after it.
 */
const share = <T>(all: readonly T[], most: number, take: (one: T, most: number) => readonly Job[]): Job[] => {
  const jobs: Job[] = [];
  for (const [i, one] of all.entries()) {
    const own = Math.ceil((most - jobs.length) / (all.length - i));
    if (own > 0) jobs.push(...take(one, own));
  }
  return jobs;
};

const serveOrganization = (run: Statements, organization: string, most: number, request: Take): Job[] => {
  const { perLane, now } = request;
  const running = request.running.get(organization);
  const roomIn = (lane: string) => perLane - (running?.get(lane) ?? 0);
  const full = [...(running?.keys() ?? [])].filter((lane) => roomIn(lane) <= 0).length;
  const lanes = (run.dueLanes.all(organization, now, most + full) as { lane: string }[])
    .map(({ lane }) => lane)
    .filter((lane) => roomIn(lane) > 0);
  const jobs = share(lanes, most, (lane, own) =>
    serveLane(run, { organization, lane }, Math.min(own, roomIn(lane)), request),
  );
  const { turn } = run.nextTurnOf.get(organization) as { turn: number | null };
  if (turn === null) run.dropOrganization.run(organization);
  else if (jobs.length > 0 || turn > now) run.setOrganizationTurn.run(Math.max(turn, now), organization);
  return jobs;
};

const take = (run: Statements, request: Take): Job[] => {
  const { free, perOrganization, running, now } = request;
  if (free <= 0) return [];
  const roomOf = (organization: string) => {
    let room = perOrganization;
    for (const jobs of running.get(organization)?.values() ?? []) room -= jobs;
    return room;
  };
  // Organizations with running jobs may be due but have no free slot, so `running.size` more organizations are read.
  const organizations = (run.dueOrganizations.all(now, free + running.size) as { organization: string }[])
    .map(({ organization }) => organization)
    .filter((organization) => roomOf(organization) > 0);
  return share(organizations, free, (organization, own) =>
    serveOrganization(run, organization, Math.min(own, roomOf(organization)), request),
  );
};

serveThread<{ path: string; leaseMs: number }, JobsRequest, JobsAnswer>(({ path, leaseMs }) => {
  const db = openDatabase(path, 'relaxed');
  createTables(db);
  const run = prepare(db);
  const leases = createLeases(db, leaseMs, (place, now) => queueLane(run, place, now, now));

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
