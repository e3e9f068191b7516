import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRebuild } from '../application/rebuild.js';
import { inTransaction, openDatabase } from '../infrastructure/sqlite/database.js';
import { sqliteEventStore } from '../infrastructure/sqlite/event-store.js';
import { sqliteReadModels } from '../infrastructure/sqlite/read-models.js';
import { nodeSystem } from '../infrastructure/system.js';
import { projections } from '../projections/index.js';
import { freshDirectory } from '../tests/support/directories.js';
import type { Bench, Figure } from './figures.js';
import { hasPeer, startProgram } from './peers.js';
import type { Replayed } from './rebuild/emmett.js';
import { fill } from './rebuild/history.js';

const events = Number(process.env.BENCH_EVENTS ?? 1_000_000);
const writtenAtOnce = 5000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const timed = async (work: () => Promise<unknown> | unknown): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

/** Every row of the log, as the driver gives it fastest. */
const readLog = (path: string) => {
  const db = openDatabase(path, 'relaxed');
  const some = db.prepare(
    'SELECT position, type, data, metadata FROM events WHERE position > ? ORDER BY position LIMIT 500',
  );
  some.setReturnArrays(true);
  let last = 0;
  for (;;) {
    const rows = some.all(last) as unknown as readonly (readonly [number, ...unknown[]])[];
    if (rows.length === 0) break;
    last = rows.at(-1)?.[0] ?? last;
  }
  db.close();
};

type Column = { readonly name: string };

/** The documents that a rebuild left, into tables and indexes like its own; gives the seconds that the writing took. */
const writeDocuments = async (from: string, to: string): Promise<number> => {
  const source = openDatabase(from, 'relaxed');
  const target = openDatabase(to, 'durable');
  const live = source.prepare("SELECT collection || '_' || number AS name FROM generations WHERE state = 'live'");
  let seconds = 0;
  for (const { name } of live.all() as { name: string }[]) {
    const schema = source.prepare(
      'SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC',
    );
    const [table, ...indexes] = (schema.all(name) as { sql: string }[]).map(({ sql }) => sql);
    target.exec(table ?? '');
    const columns = (source.prepare(`PRAGMA table_info("${name}")`).all() as Column[]).map(() => '?');
    const insert = target.prepare(`INSERT INTO "${name}" VALUES (${columns.join(', ')})`);
    const read = source.prepare(`SELECT * FROM "${name}" WHERE rowid > ? ORDER BY rowid LIMIT ${writtenAtOnce}`);
    read.setReturnArrays(true);
    const last = source.prepare(
      `SELECT max(rowid) AS rowid FROM (SELECT rowid FROM "${name}" WHERE rowid > ? ORDER BY rowid LIMIT ${writtenAtOnce})`,
    );
    let at = 0;
    for (;;) {
      const rows = read.all(at) as unknown as (string | number | null)[][];
      if (rows.length === 0) break;
      at = (last.get(at) as { rowid: number }).rowid;
      seconds += await timed(() => inTransaction(target, () => rows.map((row) => insert.run(...row))));
    }
    seconds += await timed(() => indexes.map((sql) => target.exec(sql)));
  }
  source.close();
  target.close();
  return seconds;
};

/** So many that reading them takes a second or two. */
const emmettEvents = 50_000;
const emmettRate = async (path: string, log: string): Promise<number | null> => {
  if (!hasPeer('@event-driven-io/emmett-sqlite')) return null;
  const args = [path, log, String(emmettEvents)];
  const { said, close } = await startProgram<Replayed>(new URL('./rebuild/emmett.ts', import.meta.url), args);
  close();
  return said.perSecond;
};

export const rebuild: Bench = async function* () {
  const directory = freshDirectory();
  const file = (name: string) => join(directory, name);
  try {
    await fill(file('events.db'), events);
    const log = await sqliteEventStore(file('events.db'));
    const readModels = await sqliteReadModels(file('read-models.db'), projections);
    const system = nodeSystem({ service: new Uint8Array(32), stores: new Uint8Array(32) }, silent);
    const { run } = createRebuild({ events: log, readModels, system, projections });
    const took = await timed(() => run(projections, { signal: new AbortController().signal, tell: () => undefined }));
    await readModels.close();
    await log.close();
    const reading = await timed(() => readLog(file('events.db')));
    const writing = await writeDocuments(file('read-models.db'), file('copy.db'));
    const figure: Figure = {
      what: `rebuild of all projections, ${events} events`,
      measured: events / took,
      unit: 'events/s',
    };
    const value = events / (reading + writing);
    yield { ...figure, ceiling: { what: 'raw read of the log + bulk write of the documents', value }, atLeast: 0.5 };
    const emmett = await emmettRate(file('emmett.db'), file('events.db'));
    if (emmett) yield { ...figure, ceiling: { what: 'emmett, replay that writes nothing', value: emmett }, atLeast: 2 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};
