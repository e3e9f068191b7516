import type { Document } from 'bson';
import { commandError } from './errors.js';
import { predicateOf } from './query/filters.js';
import { isEmpty, keyOf, valueAt } from './query/values.js';

export type Index = {
  readonly name: string;
  readonly spec: Document;
  readonly unique: boolean;
  /** Returns the document's entry in this index; undefined when a partial or sparse index leaves it out. */
  entryOf(document: Document): string | undefined;
  /** Keys of the committed documents by their index entry. Empty for an index that is not unique. */
  readonly owners: Map<string, string>;
};

export type Collection = {
  readonly namespace: string;
  /** Committed documents by the key of their _id. A document is never changed in place, so readers need no copies. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly indexes: readonly Index[];
  /** Stores a document; null removes it. */
  put(key: string, document: Document | null): void;
  /** Adds an index; returns false when the same index exists already. */
  addIndex(spec: Document): boolean;
  removeIndexes(name: string): void;
};

export const duplicateKey = (collection: Collection, index: Index, document: Document) => {
  const keyValue = Object.fromEntries(
    Object.keys(index.spec.key).map((path) => [path, valueAt(document, path) ?? null]),
  );
  return commandError(
    11000,
    `E11000 duplicate key error collection: ${collection.namespace} index: ${index.name} dup key: ${JSON.stringify(keyValue)}`,
    { keyPattern: index.spec.key, keyValue },
  );
};

const createIndex = (spec: Document): Index => {
  const paths = Object.keys(spec.key);
  const belongs = isEmpty(spec.partialFilterExpression) ? undefined : predicateOf(spec.partialFilterExpression);
  return {
    name: spec.name,
    spec: { v: 2, ...spec },
    unique: spec.unique === true,
    owners: new Map(),
    entryOf: (document) => {
      if (belongs && !belongs(document)) return undefined;
      const values = paths.map((path) => valueAt(document, path));
      if (spec.sparse && values.every((value) => value === undefined)) return undefined;
      return values.map(keyOf).join('\0');
    },
  };
};

/** Serializes the properties, besides the name, by which the server distinguishes two indexes. */
const signatureOf = ({ spec }: Index) =>
  keyOf([spec.key, spec.unique === true, spec.sparse === true, spec.partialFilterExpression ?? null]);

/**
 * Throws if an existing index has the name of the wanted index but differs from it, or equals it but has another name,
 * as createIndexes does.
 */
const assertNoOtherIndex = (existing: Index, wanted: Index) => {
  const same = signatureOf(existing) === signatureOf(wanted);
  if (existing.name === wanted.name && !same)
    throw commandError(86, `An existing index has the same name as the requested index: ${wanted.name}.`);
  if (existing.name !== wanted.name && same)
    throw commandError(85, `Index already exists with a different name: ${existing.name}`);
};

const createCollection = (namespace: string): Collection => {
  const documents = new Map<string, Document>();
  const indexes: Index[] = [createIndex({ key: { _id: 1 }, name: '_id_' })];

  const register = (index: Index, key: string, document: Document) => {
    const entry = index.unique ? index.entryOf(document) : undefined;
    if (entry !== undefined) index.owners.set(entry, key);
  };
  const unregister = (index: Index, key: string, document: Document) => {
    const entry = index.unique ? index.entryOf(document) : undefined;
    if (entry !== undefined && index.owners.get(entry) === key) index.owners.delete(entry);
  };
  const collection: Collection = {
    namespace,
    documents,
    indexes,
    put: (key, document) => {
      const old = documents.get(key);
      for (const index of indexes) {
        if (old) unregister(index, key, old);
        if (document) register(index, key, document);
      }
      if (document) documents.set(key, document);
      else documents.delete(key);
    },
    addIndex: (spec) => {
      const wanted = createIndex(spec);
      for (const existing of indexes) assertNoOtherIndex(existing, wanted);
      if (indexes.some((existing) => existing.name === wanted.name)) return false;
      for (const [key, document] of documents) {
        const entry = wanted.entryOf(document);
        if (wanted.unique && entry !== undefined && wanted.owners.has(entry))
          throw duplicateKey(collection, wanted, document);
        register(wanted, key, document);
      }
      indexes.push(wanted);
      return true;
    },
    removeIndexes: (name) => {
      const kept = indexes.filter((index) => index.name === '_id_' || (name !== '*' && index.name !== name));
      if (kept.length === indexes.length && name !== '*') throw commandError(27, `index not found with name [${name}]`);
      indexes.splice(0, indexes.length, ...kept);
    },
  };
  return collection;
};

export type Catalog = ReturnType<typeof createCatalog>;

/** Makes the catalog of all collections, keyed by namespace (`database.collection`). */
export const createCatalog = () => {
  const collections = new Map<string, Collection>();
  return {
    find: (namespace: string) => collections.get(namespace),
    /** Finds a collection, or creates it if it is missing, as a write on the server does. */
    obtain: (namespace: string) => {
      const found = collections.get(namespace) ?? createCollection(namespace);
      collections.set(namespace, found);
      return found;
    },
    drop: (namespace: string) => collections.delete(namespace),
    inDatabase: (database: string) =>
      [...collections.values()].filter(({ namespace }) => namespace.startsWith(`${database}.`)),
  };
};
