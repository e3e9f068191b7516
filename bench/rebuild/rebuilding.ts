import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRebuild } from '../../application/projecting/rebuild.js';
import { inTransaction, openDatabase } from '../../infrastructure/sqlite/database.js';
import { sqliteEventStore } from '../../infrastructure/sqlite/events/event-store.js';
import { sqliteReadModels } from '../../infrastructure/sqlite/read-models/read-models.js';
import { projections } from '../../projections/index.js';
import { testSystem } from '../../tests/support/silent.js';
import { serveSides } from '../measure/compiled.js';

const writtenAtOnce = 5000;
const [, , directory = '', count = ''] = process.argv;
const events = Number(count);
const file = (name: string) => join(directory, name);
const remove = (name: string) => {
  for (const ending of ['', '-wal', '-shm']) rmSync(file(name + ending), { force: true });
};

const timed = async (work: () => Promise<unknown> | unknown): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

/** Reads every row of the log as fast as the driver can. */
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

/** Copies the documents of a rebuild to tables with the same schema and indexes. Returns the seconds spent writing. */
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

serveSides({
  ours: async () => {
    remove('read-models.db');
    const log = await sqliteEventStore(file('events.db'));
    const readModels = await sqliteReadModels(file('read-models.db'), projections);
    const { run } = createRebuild({ events: log, readModels, system: testSystem, projections });
    const took = await timed(() => run(projections, { signal: new AbortController().signal, report: () => undefined }));
    await readModels.close();
    await log.close();
    return events / took;
  },
  ceiling: async () => {
    remove('copy.db');
    const reading = await timed(() => readLog(file('events.db')));
    return events / (reading + (await writeDocuments(file('read-models.db'), file('copy.db'))));
  },
});
