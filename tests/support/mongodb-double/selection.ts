import type { Document } from 'bson';
import { Query } from 'mingo';
import type { Collection } from './collections.js';
import { isOperators, predicateOf } from './query/filters.js';
import { compareValues, isEmpty, keyOf, valueAt } from './query/values.js';
import type { Unit } from './transactions.js';

type Selection = {
  readonly filter?: Document | undefined;
  readonly sort?: Document | undefined;
  readonly skip?: number | undefined;
  /** Maximum number of documents: 0 or undefined for no limit, and a negative number counts like its absolute value. */
  readonly limit?: number | undefined;
};

const byFields = (sort: Document) => {
  const fields = Object.entries(sort);
  return (left: Document, right: Document): number => {
    for (const [path, direction] of fields) {
      const order = compareValues(valueAt(left, path), valueAt(right, path));
      if (order !== 0) return order * Number(direction);
    }
    return 0;
  };
};

/** Returns the values of _id that the filter lists, by equality or `$in`; undefined if it lists none. */
const namedIds = ({ _id: condition }: Document): readonly unknown[] | undefined => {
  if (condition === undefined || condition instanceof RegExp) return undefined;
  if (!isOperators(condition)) return [condition];
  if ('$eq' in condition) return [condition.$eq];
  return Array.isArray(condition.$in) ? condition.$in : undefined;
};

/**
 * Looks up the ids that the filter names, in the order of the index. Reads all documents if the filter names no ids.
 */
const candidates = (unit: Unit, collection: Collection, filter: Document): Iterable<Document> => {
  const ids = namedIds(filter);
  if (!ids) return unit.documents(collection);
  return [...new Set(ids.map(keyOf))]
    .map((key) => unit.read(collection, key))
    .filter((document) => document !== undefined)
    .sort(byFields({ _id: 1 }));
};

/** Selects documents of a collection as the unit sees them; returns none if the collection does not exist. */
export const select = (unit: Unit, collection: Collection | undefined, selection: Selection): readonly Document[] => {
  if (!collection) return [];
  const { filter = {}, sort, skip = 0, limit = 0 } = selection;
  const end = limit === 0 ? Number.POSITIVE_INFINITY : skip + Math.abs(limit);
  const matches = predicateOf(filter);
  const sorted = sort !== undefined && !isEmpty(sort);
  const found: Document[] = [];
  for (const document of candidates(unit, collection, filter)) {
    if (!matches(document)) continue;
    found.push(document);
    if (!sorted && found.length >= end) break;
  }
  if (sorted) found.sort(byFields(sort));
  return skip === 0 && found.length <= end ? found : found.slice(skip, end);
};

/** Makes a projection of whole fields that, unlike the library, keeps their order; undefined for other projections. */
const projectionOf = (projection: Document): ((document: Document) => Document) | undefined => {
  const { _id: id = 1, ...fields } = projection;
  const [first, ...others] = Object.values(fields).map(Number);
  const plain = (first === 0 || first === 1) && others.every((value) => value === first);
  if (!plain || Object.keys(fields).some((path) => path.includes('.'))) return undefined;
  const isKept = (field: string) => (field === '_id' ? Number(id) === 1 : field in fields === (first === 1));
  return (document) => Object.fromEntries(Object.entries(document).filter(([field]) => isKept(field)));
};

export const project = (documents: readonly Document[], projection: Document | undefined): readonly Document[] => {
  if (projection === undefined || isEmpty(projection)) return documents;
  const projected = projectionOf(projection);
  if (projected) return documents.map(projected);
  return new Query({}).find<Document>([...documents], projection).all();
};
