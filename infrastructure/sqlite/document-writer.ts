import type { Positions } from '../../application/ports/generations.js';
import { inTransaction, openDatabase } from './database.js';
import { createGenerations, quoted, type Table, tableName } from './generations.js';
import { serveThread } from './thread.js';

export type DocumentChange = {
  readonly collection: string;
  readonly scope: string;
  readonly id: string;
  readonly document: string | null;
  /** One for each column that the code declares. */
  readonly values: readonly (string | number | null)[];
};
export type Job =
  | {
      readonly do: 'commit';
      readonly changes: readonly DocumentChange[];
      readonly revision: number;
      readonly positions: string;
    }
  | {
      readonly do: 'build';
      readonly changes: readonly DocumentChange[];
      readonly from: Positions;
      readonly to: Positions;
    }
  | { readonly do: 'begin' | 'makeReady' | 'swap' | 'abandon'; readonly collections: readonly string[] }
  | { readonly do: 'reset' | 'removeRetired' };

/** An index over millions of documents takes its time, and whoever else writes waits for it. */
const lockMs = 60_000;

serveThread<{ path: string; tables: readonly Table[] }, Job, boolean>(({ path, tables }) => {
  const db = openDatabase(path, 'relaxed', lockMs);
  const generations = createGenerations(db, tables);
  const declared = new Map(tables.map((table) => [table.collection, table]));
  const wanted = (names: readonly string[]) => names.flatMap((name) => declared.get(name) ?? []);
  const move = db.prepare('UPDATE checkpoint SET revision = revision + 1, positions = ? WHERE revision = ?');

  /** Of a generation that another version of the projection made, only the columns that it has. */
  const writerOf = (name: string, own: readonly string[], columns: readonly string[]) => {
    const all = ['scope', 'id', 'document', ...columns].map(quoted);
    const update = ['document', ...columns].map((column) => `${quoted(column)} = excluded.${quoted(column)}`);
    const put = db.prepare(`INSERT INTO ${quoted(name)} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})
      ON CONFLICT (scope, id) DO UPDATE SET ${update.join(', ')}`);
    const remove = db.prepare(`DELETE FROM ${quoted(name)} WHERE scope = ? AND id = ?`);
    const places = columns.map((column) => own.indexOf(column));
    return ({ scope, id, document, values }: DocumentChange) => {
      if (document === null) remove.run(scope, id);
      else put.run(scope, id, document, ...places.map((place) => values[place] ?? null));
    };
  };
  const writersTo = (state: 'live' | 'building') =>
    new Map(
      generations.inState(state).flatMap((row) => {
        const table = declared.get(row.collection);
        if (table && row.version > table.version && state === 'live')
          throw new Error(`a newer version of the software has taken over ${row.collection}`);
        return table ? [[row.collection, writerOf(tableName(row), table.columns, row.columns)]] : [];
      }),
    );
  const writeAll = (changes: readonly DocumentChange[], writers: ReturnType<typeof writersTo>) => {
    for (const change of changes) writers.get(change.collection)?.(change);
  };

  // Whoever changes which generation is live moves the checkpoint's revision too.
  let live = { revision: -1, writers: new Map() as ReturnType<typeof writersTo> };
  const commit = ({ changes, revision, positions }: Extract<Job, { do: 'commit' }>) => {
    let writers = live.writers;
    const done = inTransaction(db, () => {
      if (Number(move.run(positions, revision).changes) === 0) return false;
      if (live.revision !== revision) writers = writersTo('live');
      writeAll(changes, writers);
      return true;
    });
    if (done) live = { revision: revision + 1, writers };
    return done;
  };
  let building = { names: '', writers: new Map() as ReturnType<typeof writersTo> };
  const build = ({ changes, from, to }: Extract<Job, { do: 'build' }>) =>
    inTransaction(db, () => {
      if (!generations.advance(from, to)) return false;
      const names = generations.inState('building').map(tableName).join();
      if (building.names !== names) building = { names, writers: writersTo('building') };
      writeAll(changes, building.writers);
      return true;
    });

  const run = (job: Job): boolean => {
    switch (job.do) {
      case 'commit':
        return commit(job);
      case 'build':
        return build(job);
      case 'swap':
        return generations.swap(wanted(job.collections));
      case 'begin':
      case 'makeReady':
      case 'abandon':
        generations[job.do](wanted(job.collections));
        return true;
      case 'reset':
        inTransaction(db, generations.forget);
        return true;
      case 'removeRetired':
        generations.removeRetired();
        return true;
    }
  };
  return (jobs) => jobs.map(run);
});
