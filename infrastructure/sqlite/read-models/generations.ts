import type { Position } from '../../../application/ports/event-store.js';
import type { Generation, Positions } from '../../../application/ports/generations.js';
import { withoutParts } from '../../../application/ports/read-models.js';
import { parseStored } from '../damage.js';
import { type Database, inTransaction } from '../database.js';

/** Collection as declared in the code. Document fields that its indexes need are columns. */
export type Table = {
  readonly collection: string;
  readonly version: number;
  readonly columns: readonly string[];
  readonly indexes: Readonly<Record<string, readonly string[]>>;
};

type State = Generation['state'] | 'retired';
/** Stored generation. `ready` means that the indexes of its version exist. */
type Row = Omit<Generation, 'state'> & {
  readonly state: State;
  readonly columns: readonly string[];
  readonly indexes: Table['indexes'];
  ready: boolean;
};
type StoredRow = Omit<Generation, 'state'> & {
  state: State;
  columns: string;
  indexes: string;
  ready: number;
};

export const quoted = (name: string) => `"${name}"`;
export const tableName = ({ collection, number }: Pick<Generation, 'collection' | 'number'>) =>
  `${collection}_${number}`;

const schema = (firstRevision: number) => `
  CREATE TABLE IF NOT EXISTS checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER, positions TEXT);
  INSERT OR IGNORE INTO checkpoint VALUES (1, ${firstRevision}, '{}');
  CREATE TABLE IF NOT EXISTS hold (until INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS generations (
    collection TEXT NOT NULL,
    number INTEGER NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    position INTEGER NOT NULL,
    columns TEXT NOT NULL,
    indexes TEXT NOT NULL,
    ready INTEGER NOT NULL,
    PRIMARY KEY (collection, number)
  );`;

const createTable = (name: string, columns: readonly string[]) => `CREATE TABLE IF NOT EXISTS ${quoted(name)} (
    scope TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL,
    ${columns.map((column) => `${quoted(column)},`).join(' ')}
    PRIMARY KEY (scope, id)
  );`;

const createIndex = (name: string, index: string, columns: readonly string[]) => {
  const fields = ['scope', ...columns, 'id'].map(quoted).join(', ');
  return `CREATE INDEX IF NOT EXISTS ${quoted(`${name}_${index}`)} ON ${quoted(name)} (${fields});`;
};

/**
 * Returns SQL that points the view of a collection, which readers query, at a generation. A statement sees exactly one
 * generation, even during a swap.
 */
const showView = (generation: Pick<Generation, 'collection' | 'number'>) => `
  DROP VIEW IF EXISTS ${quoted(generation.collection)};
  CREATE VIEW ${quoted(generation.collection)} AS SELECT * FROM ${quoted(tableName(generation))};`;

const namesOf = (tables: readonly Table[]) => new Set(tables.map(({ collection }) => collection));

/**
 * Creates the catalogue of the generations in a database. Functions that change the catalogue must run inside a write
 * transaction.
 */
const createCatalogue = (db: Database, firstRevision: number) => {
  db.exec(schema(firstRevision));
  const select = db.prepare('SELECT * FROM generations ORDER BY collection, number');
  const insert = db.prepare('INSERT INTO generations VALUES (?, ?, ?, ?, 0, ?, ?, ?)');
  const remove = db.prepare('DELETE FROM generations WHERE collection = ? AND number = ?');
  const checkpoint = db.prepare('SELECT positions FROM checkpoint');
  const move = db.prepare('UPDATE checkpoint SET revision = revision + 1, positions = ?');

  const rows = (): Row[] =>
    (select.all() as StoredRow[]).map((row) => ({
      ...row,
      columns: parseStored(row.columns),
      indexes: parseStored(row.indexes),
      ready: row.ready === 1,
    }));
  return {
    inState: (state: State) => rows().filter((row) => row.state === state),
    positions: (): Positions => parseStored((checkpoint.get() as { positions: string }).positions),
    /** Sets the positions. Increments the revision, so that a concurrent commit fails. */
    move: (positions: Positions) => move.run(JSON.stringify(positions)),
    add: ({ collection, version, columns, indexes }: Table, state: State) => {
      const number = 1 + Math.max(0, ...rows().flatMap((row) => (row.collection === collection ? [row.number] : [])));
      const ready = state === 'live' || Object.keys(indexes).length === 0;
      insert.run(collection, number, version, state, JSON.stringify(columns), JSON.stringify(indexes), ready ? 1 : 0);
      db.exec(createTable(tableName({ collection, number }), columns));
      return { collection, number };
    },
    drop: (row: Pick<Generation, 'collection' | 'number'>) => {
      remove.run(row.collection, row.number);
      db.exec(`DROP TABLE IF EXISTS ${quoted(tableName(row))}`);
    },
  };
};
type Catalogue = ReturnType<typeof createCatalogue>;

/** Creates the first generation of every collection that has none. */
const prepare = (db: Database, { positions, move, add, inState }: Catalogue, tables: readonly Table[]) => {
  // Position names in files of older releases include the projection's version, which is removed here.
  const stored = Object.entries(positions());
  if (stored.some(([name]) => name.includes('@')))
    move(Object.fromEntries(stored.map(([name, at]) => [name.replace(/@\d+$/, ''), at])));
  const live = new Set(inState('live').map(({ collection }) => collection));
  for (const table of tables.filter(({ collection }) => !live.has(collection))) {
    const generation = add(table, 'live');
    for (const [index, columns] of Object.entries(table.indexes))
      db.exec(createIndex(tableName(generation), index, columns));
    db.exec(showView(generation));
  }
};

const createSwap = (db: Database, { positions, move, inState }: Catalogue) => {
  const setState = db.prepare('UPDATE generations SET state = ? WHERE collection = ? AND number = ?');
  const isFit = (before: Positions, end: Position) => (row: Row) =>
    row.ready && row.position >= Math.min(before[row.collection] ?? 0, end);
  return {
    swap: (wanted: readonly Table[], end: Position = Number.POSITIVE_INFINITY) =>
      inTransaction(db, () => {
        const before = positions();
        const names = namesOf(wanted);
        const next = inState('building').filter(({ collection }) => names.has(collection));
        if (next.length < names.size || !next.every(isFit(before, end))) return false;
        for (const { collection, number } of inState('live').filter(({ collection }) => names.has(collection)))
          setState.run('retired', collection, number);
        for (const row of next) {
          setState.run('live', row.collection, row.number);
          db.exec(showView(row));
        }
        const reached = Object.fromEntries(next.map(({ collection, position }) => [collection, position]));
        move({ ...withoutParts(before, names), ...reached });
        db.exec('DELETE FROM hold');
        return true;
      }),
    hold: (ms: number) =>
      inTransaction(db, () => {
        db.exec(`DELETE FROM hold; INSERT INTO hold VALUES (${Date.now() + ms})`);
        move(positions());
      }),
  };
};

/** Creates the operations on the generations of all collections in a database. */
export const createGenerations = (db: Database, tables: readonly Table[], firstRevision: number) => {
  const catalogue = createCatalogue(db, firstRevision);
  const { inState, add, drop } = catalogue;
  inTransaction(db, () => prepare(db, catalogue, tables));
  const setReady = db.prepare('UPDATE generations SET ready = 1 WHERE collection = ? AND number = ?');
  const setPosition = db.prepare("UPDATE generations SET position = ? WHERE collection = ? AND state = 'building'");
  const building = (wanted: readonly Table[]) => {
    const names = namesOf(wanted);
    return inState('building').filter(({ collection }) => names.has(collection));
  };

  return {
    inState,
    begin: (wanted: readonly Table[]) =>
      inTransaction(db, () => {
        const begun = new Map(building(wanted).map((row) => [row.collection, row]));
        for (const table of wanted) {
          const row = begun.get(table.collection);
          if (row?.version === table.version) continue;
          if (row) drop(row);
          add(table, 'building');
        }
      }),
    /**
     * Advances the generations that are being built from one position to the next. Must run inside a transaction.
     * Returns false and writes nothing if another builder has already advanced them.
     */
    advance: (from: Positions, to: Positions) => {
      const moved = tables.filter(({ collection }) => to[collection] !== undefined);
      const rows = new Map(building(moved).map((row) => [row.collection, row]));
      const isAt = ({ collection, version }: Table) => {
        const row = rows.get(collection);
        return row?.version === version && row.position === from[collection];
      };
      if (!moved.every(isAt)) return false;
      for (const { collection } of moved) setPosition.run(to[collection] ?? 0, collection);
      return true;
    },
    /**
     * Creates the indexes after the build, because it is faster to index a table that is already filled. Each index has
     * its own transaction, so that other writers can run in between.
     */
    makeReady: (wanted: readonly Table[]) => {
      for (const row of building(wanted).filter(({ ready }) => !ready)) {
        for (const [index, columns] of Object.entries(row.indexes))
          inTransaction(db, () => db.exec(createIndex(tableName(row), index, columns)));
        setReady.run(row.collection, row.number);
      }
    },
    ...createSwap(db, catalogue),
    abandon: (wanted: readonly Table[]) => {
      for (const row of building(wanted)) inTransaction(db, () => drop(row));
    },
    removeRetired: () => {
      for (const row of inState('retired')) inTransaction(db, () => drop(row));
    },
  };
};
