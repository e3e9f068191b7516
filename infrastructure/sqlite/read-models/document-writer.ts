import { slicesOf } from '../../../application/async/slices.js';
import type { Position } from '../../../application/ports/event-store.js';
import { maxHoldMs, type Positions } from '../../../application/ports/generations.js';
import type { PageCache } from '../../settings/memory-budget.js';
import { rareAutoCheckpoint } from '../checkpoints.js';
import { type Database, inTransaction, limitLockWait, openDatabase } from '../database.js';
import { serveThread } from '../thread.js';
import { type DocumentRows, documentCell, ownCells } from './document-rows.js';
import { createGenerations, quoted, type Table, tableName } from './generations.js';

export type Job =
  | {
      readonly do: 'commit';
      readonly changes: readonly DocumentRows[];
      readonly revision: number;
      readonly positions: string;
    }
  | {
      readonly do: 'build';
      readonly changes: readonly DocumentRows[];
      readonly from: Positions;
      readonly to: Positions;
    }
  | { readonly do: 'begin' | 'makeReady' | 'abandon'; readonly collections: readonly string[] }
  | { readonly do: 'swap'; readonly collections: readonly string[]; readonly end: Position | undefined }
  | { readonly do: 'hold'; readonly ms: number }
  | { readonly do: 'removeRetired' };

/**
 * Maximum wait in ms for the lock: a minute, because creating an index over millions of documents blocks other writers.
 */
const lockMs = 60_000;

type Write = (cells: DocumentRows['cells']) => void;
type Writers = ReadonlyMap<string, Write>;

/**
 * Creates a function that writes to a generation. It writes only the columns that the generation's table has, because
 * the generation may have been built for another version of the collection.
 */
const writerOf = (db: Database, name: string, declared: readonly string[], columns: readonly string[]): Write => {
  const [given, kept] = [
    [...ownCells, ...declared],
    [...ownCells, ...columns],
  ];
  const update = kept.slice(documentCell).map((column) => `${quoted(column)} = excluded.${quoted(column)}`);
  const put =
    db.prepare(`INSERT INTO ${quoted(name)} (${kept.map(quoted).join(', ')}) VALUES (${kept.map(() => '?').join(', ')})
    ON CONFLICT (scope, id) DO UPDATE SET ${update.join(', ')}`);
  const remove = db.prepare(`DELETE FROM ${quoted(name)} WHERE scope = ? AND id = ?`);
  const places = kept.map((column) => given.indexOf(column));
  return (cells) => {
    for (const row of slicesOf(cells, given.length)) {
      if (row[documentCell] === null) remove.run(...row.slice(0, documentCell));
      else put.run(...places.map((place) => row[place] ?? null));
    }
  };
};
const writeAll = (changes: readonly DocumentRows[], writers: Writers) => {
  for (const { collection, cells } of changes) writers.get(collection)?.(cells);
};

const createWriting = (db: Database, generations: ReturnType<typeof createGenerations>, tables: readonly Table[]) => {
  const move = db.prepare(`UPDATE checkpoint SET revision = revision + 1, positions = ?
    WHERE revision = ? AND NOT EXISTS (SELECT 1 FROM hold WHERE until BETWEEN ? AND ?)`);
  const declared = new Map(tables.map((table) => [table.collection, table]));
  const writersTo = (state: 'live' | 'building'): Writers =>
    new Map(
      generations.inState(state).flatMap((row) => {
        const table = declared.get(row.collection);
        if (table && row.version > table.version && state === 'live')
          throw new Error(
            `A newer release has taken over the read model ${row.collection}. Upgrade this process, or run chainfold projections rebuild --all with the release of this process.`,
          );
        return table ? [[row.collection, writerOf(db, tableName(row), table.columns, row.columns)]] : [];
      }),
    );
  // Cached writers stay valid while the revision is unchanged, because every swap of a live generation increments it.
  let live: { readonly revision: number; readonly writers: Writers } = { revision: -1, writers: new Map() };
  let building: { readonly names: string; readonly writers: Writers } = { names: '', writers: new Map() };
  return {
    commit: ({ changes, revision, positions }: Extract<Job, { do: 'commit' }>) => {
      let { writers } = live;
      const done = inTransaction(db, () => {
        const now = Date.now();
        if (Number(move.run(positions, revision, now, now + maxHoldMs).changes) === 0) return false;
        if (live.revision !== revision) writers = writersTo('live');
        writeAll(changes, writers);
        return true;
      });
      if (done) live = { revision: revision + 1, writers };
      return done;
    },
    build: ({ changes, from, to }: Extract<Job, { do: 'build' }>) =>
      inTransaction(db, () => {
        if (!generations.advance(from, to)) return false;
        const names = generations.inState('building').map(tableName).join();
        if (building.names !== names) building = { names, writers: writersTo('building') };
        writeAll(changes, building.writers);
        return true;
      }),
  };
};

type WriterOptions = {
  readonly path: string;
  readonly tables: readonly Table[];
  readonly firstRevision: number;
  readonly pages: PageCache;
};

serveThread<WriterOptions, Job, boolean>(({ path, tables, firstRevision, pages }) => {
  const db = openDatabase(path, 'relaxed', pages);
  limitLockWait(db, lockMs);
  db.exec(rareAutoCheckpoint);
  const generations = createGenerations(db, tables, firstRevision);
  const writing = createWriting(db, generations, tables);
  const declared = ({ collections }: Extract<Job, { collections: unknown }>) =>
    tables.filter(({ collection }) => collections.includes(collection));

  /** Runs one job. Returns false if the job was rejected. */
  const run = (job: Job): unknown => {
    switch (job.do) {
      case 'commit':
        return writing.commit(job);
      case 'build':
        return writing.build(job);
      case 'begin':
        return generations.begin(declared(job));
      case 'makeReady':
        return generations.makeReady(declared(job));
      case 'swap':
        return generations.swap(declared(job), job.end);
      case 'hold':
        return generations.hold(job.ms);
      case 'abandon':
        return generations.abandon(declared(job));
      case 'removeRetired':
        return generations.removeRetired();
    }
  };
  return (jobs) => jobs.map((job) => run(job) !== false);
});
