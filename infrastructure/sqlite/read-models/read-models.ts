import { createMutex } from '../../../application/async/mutex.js';
import { slicesOf } from '../../../application/async/slices.js';
import {
  type Generation,
  type Generations,
  NothingBuilt,
  type RebuildableReadModels,
} from '../../../application/ports/generations.js';
import type { Change, Checkpoint, DocumentKey, Found, PageKey } from '../../../application/ports/read-models.js';
import { Failure } from '../../../domain/failure.js';
import type { AnyCollection, Collection } from '../../../projections/define.js';
import { loopTurn } from '../../loop-turn.js';
import { defaultMemoryBudget, type StorePages } from '../../settings/memory-budget.js';
import { unavailable } from '../../unavailable.js';
import { type Checkpoints, createCheckpoints } from '../checkpoints.js';
import { parseStored } from '../damage.js';
import { type Access, type Database, limitParameter, openDatabase, openReadOnly } from '../database.js';
import { noThread, startThread, type Thread } from '../thread.js';
import { columnsOf, createDocumentRows } from './document-rows.js';
import type { Job } from './document-writer.js';
import { type Table, tableName } from './generations.js';

const scannedAtOnce = 1000;
const itemsPerTurn = 200;

type Scanned = { scope: string; id: string; document: string };
type Listed = { id: string; document: string; key: number | string };

const indexesOf = ({ indexes }: AnyCollection): Table['indexes'] =>
  Object.fromEntries(Object.entries(indexes).map(([name, { equal, order }]) => [name, [...equal, order]]));
const tableOf = (collection: AnyCollection): Table => ({
  collection: collection.name,
  version: collection.version,
  columns: columnsOf(collection),
  indexes: indexesOf(collection),
});

/**
 * Page keys that precede all other page keys, by direction. SQLite sorts numbers before texts and texts before blobs.
 */
const startOf = { newestFirst: [new Uint8Array([255]), ''], oldestFirst: [-Infinity, ''] } as const;

/**
 * Builds the query of a page. Columns are qualified, because SQLite treats an unknown quoted name as a string literal.
 */
const pageSql = ({ name, indexes }: AnyCollection, index: string, oldestFirst: boolean) => {
  const { equal, order } = indexes[index] as AnyCollection['indexes'][string];
  const [compare, direction] = oldestFirst ? ['>', 'ASC'] : ['<', 'DESC'];
  return `SELECT id, document, one."${order}" AS key FROM "${name}" AS one
    WHERE scope = ? ${equal.map((field) => `AND one."${field}" = ?`).join(' ')} AND (one."${order}", id) ${compare} (?, ?)
    ORDER BY one."${order}" ${direction}, id ${direction} ${limitParameter}`;
};

/** Prepares reads from a table, or from the view of the live generation. */
const statementsOn = (db: Database, name: string) => {
  const one = db.prepare(`SELECT document FROM "${name}" WHERE scope = ? AND id = ?`);
  const some = db.prepare(
    `SELECT scope, id, document FROM "${name}" WHERE (scope, id) > (?, ?) ORDER BY scope, id LIMIT ${scannedAtOnce}`,
  );
  return {
    find: <Doc>({ scope, id }: DocumentKey): Doc | null => {
      const row = one.get(scope, id) as { document: string } | undefined;
      return row ? parseStored<Doc>(row.document) : null;
    },
    scan: <Doc>(after?: DocumentKey): Found<Doc>[] => {
      const rows = some.all(after?.scope ?? '', after?.id ?? '') as Scanned[];
      return rows.map(({ scope, id, document }) => ({ scope, id, document: parseStored<Doc>(document) }));
    },
  };
};

/**
 * Creates a check that rejects a list query if the live generation was built for another version and lacks the index of
 * the query. Without this index, the query would be slow or its result wrong.
 */
const createIndexCheck = (db: Database) => {
  const live = db.prepare("SELECT version, indexes FROM generations WHERE collection = ? AND state = 'live'");
  const own = new Set<string>();
  return (collection: AnyCollection, index: string) => {
    if (own.has(collection.name)) return;
    const row = live.get(collection.name) as { version: number; indexes: string };
    if (row.version === collection.version) return void own.add(collection.name);
    const stored = parseStored<Table['indexes']>(row.indexes);
    if (String(stored[index]) !== String(indexesOf(collection)[index]))
      throw new Failure(
        'UNAVAILABLE',
        `Read model ${collection.name} is being rebuilt and does not support this list yet. Retry later.`,
      );
  };
};

/**
 * Creates a function that reads the checkpoint. It parses the positions only when they have changed, because every
 * query reads the checkpoint.
 */
const createCheckpoint = (db: Database) => {
  const select = db.prepare('SELECT revision, positions FROM checkpoint');
  let text = '{}';
  let positions: Checkpoint['positions'] = {};
  return (): Checkpoint => {
    const found = select.get() as { revision: number; positions: string };
    if (found.positions !== text) positions = parseStored(found.positions);
    text = found.positions;
    return { revision: found.revision, positions };
  };
};

type Writer = Thread<Job, boolean>;

/** Processes `itemsPerTurn` items in each turn of the event loop, so that other requests can run in between. */
const inParts = async <T, R>(all: readonly T[], work: (one: T) => R): Promise<R[]> => {
  const done: R[] = [];
  for (const slice of slicesOf(all, itemsPerTurn)) {
    if (done.length > 0) await loopTurn();
    for (const one of slice) done.push(work(one));
  }
  return done;
};
const rowsOf = async (changes: readonly Change[]) => {
  const rows = createDocumentRows();
  await inParts(changes, rows.add);
  return rows.all();
};

const generationsOver = (db: Database, writer: Writer): Generations => {
  const inTurn = createMutex();
  const all = db.prepare(
    "SELECT collection, number, version, state, position FROM generations WHERE state <> 'retired'",
  );
  const begun = db.prepare("SELECT number FROM generations WHERE collection = ? AND state = 'building'");
  const write = (job: Job) => writer.run(job).catch(unavailable('Read-model store'));
  const about = (job: 'begin' | 'makeReady' | 'abandon') => (collections: readonly AnyCollection[]) =>
    write({ do: job, collections: collections.map(({ name }) => name) });
  const generations = () => (all.all() as Generation[]).map((row) => ({ ...row }));
  const statements = new Map<string, ReturnType<typeof statementsOn>>();
  const building = ({ name: collection }: AnyCollection) => {
    const found = begun.get(collection) as { number: number } | undefined;
    if (!found) throw new NothingBuilt(collection);
    const name = tableName({ collection, number: found.number });
    const known = statements.get(name) ?? statementsOn(db, name);
    statements.set(name, known);
    return known;
  };
  return {
    listGenerations: async () => generations(),
    begin: async (collections) => void (await about('begin')(collections)),
    built: {
      getMany: async <Doc>(collection: Collection<Doc>, keys: readonly DocumentKey[]) => {
        const { find } = building(collection);
        return keys.map((key) => find<Doc>(key));
      },
      scan: async (collection, after) => building(collection).scan(after),
    },
    build: async (changes, from, to) => write({ do: 'build', changes: await inTurn(() => rowsOf(changes)), from, to }),
    makeReady: async (collections) => void (await about('makeReady')(collections)),
    swap: (collections, end) => write({ do: 'swap', collections: collections.map(({ name }) => name), end }),
    hold: async (ms) => void (await write({ do: 'hold', ms })),
    abandon: async (collections) => void (await about('abandon')(collections)),
    removeRetired: async () => void (await write({ do: 'removeRetired' })),
  };
};

const readModelsOver = (
  db: Database,
  writer: Writer,
  checkpoints: Checkpoints,
  collections: readonly AnyCollection[],
  close: () => Promise<void>,
): RebuildableReadModels => {
  const statements = new Map(collections.map(({ name }) => [name, statementsOn(db, name)]));
  const statementsFor = ({ name }: AnyCollection) => {
    const found = statements.get(name);
    if (!found) throw new Error(`Unknown read-model collection: ${name}`);
    return found;
  };
  const requireIndex = createIndexCheck(db);
  const pages = new Map<string, ReturnType<Database['prepare']>>();
  const pageStatement = (collection: AnyCollection, index: string, direction: keyof typeof startOf) => {
    if (!collection.indexes[index]) throw new Error(`Unknown index "${index}" of collection ${collection.name}`);
    requireIndex(collection, index);
    const name = `${collection.name} ${index} ${direction}`;
    const statement = pages.get(name) ?? db.prepare(pageSql(collection, index, direction === 'oldestFirst'));
    pages.set(name, statement);
    return statement;
  };
  const readCheckpoint = createCheckpoint(db);

  return {
    get: async (collection, key) => statementsFor(collection).find(key),
    getMany: async <Doc>(collection: Collection<Doc>, keys: readonly DocumentKey[]) => {
      const { find } = statementsFor(collection);
      return inParts(keys, (key) => find<Doc>(key));
    },
    page: async (collection, scope, query) => {
      const { index, equal, limit, oldestFirst } = query;
      const direction = oldestFirst ? 'oldestFirst' : 'newestFirst';
      const statement = pageStatement(collection, index, direction);
      const rows = statement.all(scope, ...equal, ...(query.after ?? startOf[direction]), limit + 1) as Listed[];
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const next: PageKey | null = rows.length > limit && last ? [last.key, last.id] : null;
      return { documents: shown.map(({ document }) => parseStored(document)), next };
    },
    scan: async (collection, after) => statementsFor(collection).scan(after),
    checkpoint: async () => readCheckpoint(),
    commit: async (changes, { revision }, positions) => {
      const rows = await rowsOf(changes);
      const job: Job = { do: 'commit', changes: rows, revision, positions: JSON.stringify(positions) };
      const isDone = await writer.run(job).catch(unavailable('Read-model store'));
      checkpoints.noteCommitted(changes.length);
      return isDone;
    },
    generations: generationsOver(db, writer),
    close,
  };
};

type OpenOptions = {
  readonly access: Access;
  /** Revision at which the checkpoint of a new file starts. */
  readonly firstRevision: number;
  readonly pages: StorePages;
};

export const sqliteReadModels = async (
  path: string,
  collections: readonly AnyCollection[],
  { access = 'write', firstRevision = 0, pages = defaultMemoryBudget.documentPages }: Partial<OpenOptions> = {},
): Promise<RebuildableReadModels> => {
  const isRead = access === 'read';
  const writer: Writer = isRead
    ? noThread
    : await startThread('document-writer', {
        path,
        tables: collections.map(tableOf),
        firstRevision,
        pages: pages.writing,
      });
  const db = isRead ? openReadOnly(path) : openDatabase(path, 'relaxed', pages.reading);
  const checkpoints = createCheckpoints(path);
  const close = async () => {
    await writer.close();
    await checkpoints.close();
    db.close();
  };
  try {
    return readModelsOver(db, writer, checkpoints, collections, close);
  } catch (error) {
    await close();
    throw error;
  }
};
