import type { Change, DocumentKey, PageKey, ReadModels } from '../../application/ports/read-models.js';
import type { AnyCollection, Collection } from '../../projections/define.js';
import { unavailable } from '../unavailable.js';
import { type Access, openDatabase, openToRead } from './database.js';
import type { Commit, DocumentChange, Reset, Table } from './document-writer.js';
import { noThread, startThread } from './thread.js';

const scannedAtOnce = 1000;

type Scanned = { scope: string; id: string; document: string };
type Found = { id: string; document: string; key: number | string };

const tableName = ({ name, version }: AnyCollection) => `${name}_${version}`;
const columnsOf = ({ indexes }: AnyCollection) => [
  ...new Set(Object.values(indexes).flatMap(({ equal, order }) => [...equal, order])),
];
const tableOf = (collection: AnyCollection): Table => ({
  name: tableName(collection),
  columns: columnsOf(collection),
  indexes: Object.entries(collection.indexes).map(([name, { equal, order }]) => ({ name, columns: [...equal, order] })),
});

const changeOf = ({ collection, scope, id, document }: Change): DocumentChange => ({
  table: tableName(collection),
  scope,
  id,
  document: document && JSON.stringify(document),
  values: document
    ? columnsOf(collection).map((column) => (document as Record<string, string | number | undefined>)[column] ?? null)
    : [],
});

/** Before every key in either direction: SQLite sorts numbers before texts before bytes. */
const startOf = { newestFirst: [new Uint8Array([255]), ''], oldestFirst: [-Infinity, ''] } as const;

const pageSql = (collection: AnyCollection, index: string, oldestFirst: boolean) => {
  const { equal, order } = collection.indexes[index] as AnyCollection['indexes'][string];
  const [compare, direction] = oldestFirst ? ['>', 'ASC'] : ['<', 'DESC'];
  return `SELECT id, document, "${order}" AS key FROM "${tableName(collection)}"
    WHERE scope = ? ${equal.map((field) => `AND "${field}" = ?`).join(' ')} AND ("${order}", id) ${compare} (?, ?)
    ORDER BY "${order}" ${direction}, id ${direction} LIMIT ?`;
};

export const sqliteReadModels = async (
  path: string,
  collections: readonly AnyCollection[],
  access: Access = 'write',
): Promise<ReadModels> => {
  const isRead = access === 'read';
  const tables = collections.map(tableOf);
  const writer = isRead ? noThread : await startThread<Commit | Reset, boolean>('./document-writer', { path, tables });
  const db = isRead ? openToRead(path) : openDatabase(path, 'relaxed');
  const statementsOf = (collection: AnyCollection) => ({
    find: db.prepare(`SELECT document FROM "${tableName(collection)}" WHERE scope = ? AND id = ?`),
    scan: db.prepare(
      `SELECT scope, id, document FROM "${tableName(collection)}" WHERE (scope, id) > (?, ?) ORDER BY scope, id LIMIT ${scannedAtOnce}`,
    ),
    pages: new Map(
      Object.keys(collection.indexes).map((index) => [
        index,
        {
          newestFirst: db.prepare(pageSql(collection, index, false)),
          oldestFirst: db.prepare(pageSql(collection, index, true)),
        },
      ]),
    ),
  });
  const statements = new Map(collections.map((collection) => [tableName(collection), statementsOf(collection)]));
  const statementsFor = (collection: AnyCollection) => {
    const found = statements.get(tableName(collection));
    if (!found) throw new Error(`there is no collection ${tableName(collection)}`);
    return found;
  };
  const checkpoint = db.prepare('SELECT revision, positions FROM checkpoint');

  const find = <Doc>(collection: Collection<Doc>, { scope, id }: DocumentKey): Doc | null => {
    const row = statementsFor(collection).find.get(scope, id) as { document: string } | undefined;
    return row ? (JSON.parse(row.document) as Doc) : null;
  };

  return {
    get: async (collection, key) => find(collection, key),
    getMany: async (collection, keys) => keys.map((key) => find(collection, key)),
    page: async (collection, scope, query) => {
      const { index, equal, limit, oldestFirst } = query;
      const direction = oldestFirst ? 'oldestFirst' : 'newestFirst';
      const statement = statementsFor(collection).pages.get(index)?.[direction];
      if (!statement) throw new Error(`${collection.name} has no index ${index}`);
      const rows = statement.all(scope, ...equal, ...(query.after ?? startOf[direction]), limit + 1) as Found[];
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const next: PageKey | null = rows.length > limit && last ? [last.key, last.id] : null;
      return { documents: shown.map(({ document }) => JSON.parse(document)), next };
    },
    scan: async (collection, after) => {
      const rows = statementsFor(collection).scan.all(after?.scope ?? '', after?.id ?? '') as Scanned[];
      return rows.map(({ scope, id, document }) => ({ scope, id, document: JSON.parse(document) }));
    },
    checkpoint: async () => {
      const { revision, positions } = checkpoint.get() as { revision: number; positions: string };
      return { revision, positions: JSON.parse(positions) };
    },
    commit: (changes, from, positions) =>
      writer
        .run({ changes: changes.map(changeOf), revision: from.revision, positions: JSON.stringify(positions) })
        .catch(unavailable('the read-model store')),
    reset: async () => {
      await writer.run({ reset: true }).catch(unavailable('the read-model store'));
    },
    close: async () => {
      await writer.close();
      db.close();
    },
  };
};
