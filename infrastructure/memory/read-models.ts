import type { Change, Checkpoint, DocumentKey, PageKey, ReadModels } from '../../application/ports/read-models.js';
import type { AnyCollection, Collection } from '../../projections/define.js';

const scannedAtOnce = 1000;

/**
 * Documents of a collection, keyed by scope and id. `indexes` has a sorted list of page keys for each combination of
 * index, scope and indexed values.
 */
type Table = {
  readonly documents: Map<string, Map<string, object>>;
  readonly indexes: Map<string, PageKey[]>;
};

const isLess = ([a, idA]: PageKey, [b, idB]: PageKey) => a < b || (a === b && idA < idB);

/** Returns the index of the first key that is not less than `key`, by binary search. */
const placeOf = (sorted: readonly PageKey[], key: PageKey) => {
  const last = sorted.at(-1);
  // Checked before the search, because a new key is usually greater than all existing keys.
  if (!last || isLess(last, key)) return sorted.length;
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isLess(sorted[middle] as PageKey, key)) low = middle + 1;
    else high = middle;
  }
  return low;
};
const isAt = (sorted: readonly PageKey[], place: number, key: PageKey) => {
  const found = sorted[place];
  return found !== undefined && !isLess(key, found);
};

type Fields = Readonly<Record<string, string | number | undefined>>;
const listName = (index: string, scope: string, values: readonly unknown[]) => JSON.stringify([index, scope, values]);

/**
 * Returns which sorted list of an index a document belongs to, as the list's name and the document's key in that list.
 */
const listed = ({ indexes }: AnyCollection, index: string, { scope, id }: DocumentKey, document: object) => {
  const { equal, order } = indexes[index] as AnyCollection['indexes'][string];
  const fields = document as Fields;
  const values = equal.map((field) => fields[field]);
  return { name: listName(index, scope, values), key: [fields[order] ?? 0, id] as PageKey };
};

type Listed = ReturnType<typeof listed>;

const take = ({ indexes }: Table, { name, key }: Listed) => {
  const sorted = indexes.get(name) ?? [];
  const place = placeOf(sorted, key);
  if (isAt(sorted, place, key)) sorted.splice(place, 1);
  if (sorted.length === 0) indexes.delete(name);
};
const put = ({ indexes }: Table, { name, key }: Listed) => {
  const sorted = indexes.get(name) ?? [];
  sorted.splice(placeOf(sorted, key), 0, key);
  indexes.set(name, sorted);
};

/** Moves a document between the lists of an index, unless list and key are unchanged. */
const move = (table: Table, was: Listed | null, is: Listed | null) => {
  if (was && is && was.name === is.name && was.key[0] === is.key[0]) return;
  if (was) take(table, was);
  if (is) put(table, is);
};

const write = (table: Table, { collection, scope, id, document }: Change) => {
  const ofScope = table.documents.get(scope) ?? new Map<string, object>();
  const before = ofScope.get(id) ?? null;
  const listedAs = (index: string, one: object | null) => one && listed(collection, index, { scope, id }, one);
  for (const index of before === document ? [] : Object.keys(collection.indexes))
    move(table, listedAs(index, before), listedAs(index, document));
  if (document) ofScope.set(id, document);
  else ofScope.delete(id);
  table.documents.set(scope, ofScope);
};

type Asked = Pick<Parameters<ReadModels['page']>[2], 'limit' | 'after' | 'oldestFirst'>;
/** Returns the keys of a page, and the key after the page if there is one. */
const keysIn = (sorted: readonly PageKey[], { limit, after, oldestFirst }: Asked) => {
  if (!oldestFirst) {
    const end = after ? placeOf(sorted, after) : sorted.length;
    return sorted.slice(Math.max(0, end - limit - 1), end).reverse();
  }
  const place = after ? placeOf(sorted, after) : 0;
  const start = after && isAt(sorted, place, after) ? place + 1 : place;
  return sorted.slice(start, start + limit + 1);
};

const isAfter = (one: DocumentKey, other: DocumentKey) => isLess([other.scope, other.id], [one.scope, one.id]);

/** Creates read models in memory for temporary use. Documents are returned without a copy. */
export const memoryReadModels = (): ReadModels => {
  const tables = new Map<string, Table>();
  let checkpoint: Checkpoint = { revision: 0, positions: {} };
  const tableOf = ({ name, version }: AnyCollection) => {
    const table = tables.get(`${name}_${version}`) ?? { documents: new Map(), indexes: new Map() };
    tables.set(`${name}_${version}`, table);
    return table;
  };
  const find = <Doc>(collection: Collection<Doc>, { scope, id }: DocumentKey) =>
    (tableOf(collection).documents.get(scope)?.get(id) ?? null) as Doc | null;

  return {
    get: async (collection, key) => find(collection, key),
    getMany: async (collection, keys) => keys.map((key) => find(collection, key)),
    page: async <Doc>(collection: Collection<Doc>, scope: string, query: Parameters<ReadModels['page']>[2]) => {
      const { index, equal, limit } = query;
      if (!Object.hasOwn(collection.indexes, index))
        throw new Error(`Unknown index "${index}" of collection ${collection.name}`);
      const keys = keysIn(tableOf(collection).indexes.get(listName(index, scope, equal)) ?? [], query);
      const shown = keys.slice(0, limit);
      return {
        documents: shown.map(([, id]) => find(collection, { scope, id }) as Doc),
        next: keys.length > limit ? (shown.at(-1) ?? null) : null,
      };
    },
    scan: async <Doc>(collection: Collection<Doc>, after?: DocumentKey) =>
      [...tableOf(collection).documents]
        .flatMap(([scope, ofScope]) => [...ofScope].map(([id, document]) => ({ scope, id, document: document as Doc })))
        .filter((one) => !after || isAfter(one, after))
        .sort((a, b) => (isAfter(a, b) ? 1 : -1))
        .slice(0, scannedAtOnce),
    checkpoint: async () => checkpoint,
    commit: async (changes, from, positions) => {
      if (from.revision !== checkpoint.revision) return false;
      for (const change of changes) write(tableOf(change.collection), change);
      checkpoint = { revision: from.revision + 1, positions };
      return true;
    },
    close: async () => tables.clear(),
  };
};
