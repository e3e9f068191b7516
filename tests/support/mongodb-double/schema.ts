import type { Document } from 'bson';
import { type Context, existing, type Handler, namespaceOf, obtained } from './context.js';
import { commandError } from './errors.js';
import { predicateOf } from './query/filters.js';

/** Finds a collection, and throws if it does not exist. */
const required = (context: Context) => {
  const collection = existing(context);
  if (!collection) throw commandError(26, `ns does not exist: ${namespaceOf(context)}`);
  return collection;
};

const createIndexes: Handler = (context) => {
  const createdCollectionAutomatically = existing(context) === undefined;
  const collection = obtained(context);
  const numIndexesBefore = collection.indexes.length;
  for (const spec of context.command.indexes as Document[]) collection.addIndex(spec);
  return { numIndexesBefore, numIndexesAfter: collection.indexes.length, createdCollectionAutomatically };
};

const listIndexes: Handler = (context) => {
  const specs = required(context).indexes.map(({ spec }) => spec);
  return context.cursors.open(namespaceOf(context), specs, context.command.cursor);
};

const dropIndexes: Handler = (context) => {
  const collection = required(context);
  const nIndexesWas = collection.indexes.length;
  for (const name of [context.command.index].flat()) collection.removeIndexes(name);
  return { nIndexesWas };
};

const listCollections: Handler = ({ command, catalog, cursors }) => {
  const matches = predicateOf(command.filter ?? {});
  const collections = catalog
    .inDatabase(command.$db)
    .map(({ namespace }) => ({
      name: namespace.slice(command.$db.length + 1),
      type: 'collection',
      options: {},
      info: { readOnly: false },
    }))
    .filter(matches);
  return cursors.open(`${command.$db}.$cmd.listCollections`, collections, command.cursor);
};

const create: Handler = (context) => {
  obtained(context);
  return {};
};

const drop: Handler = (context) => {
  context.catalog.drop(namespaceOf(context));
  return {};
};

const dropDatabase: Handler = ({ command, catalog }) => {
  for (const { namespace } of catalog.inDatabase(command.$db)) catalog.drop(namespace);
  return { dropped: command.$db };
};

export const schema = { createIndexes, listIndexes, dropIndexes, listCollections, create, drop, dropDatabase };
