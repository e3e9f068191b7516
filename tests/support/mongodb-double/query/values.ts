import { Binary, type Document, EJSON, ObjectId } from 'bson';

/** Writes a value as a string that is the same for equal values: the key of a document, or an entry of an index. */
export const keyOf = (value: unknown): string => {
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'number') return `n${value}`;
  if (value instanceof ObjectId) return `o${value.toHexString()}`;
  if (value === null || value === undefined) return 'null';
  return `e${EJSON.stringify(value, { relaxed: false })}`;
};

/** Reads the value at a path. Stops at an array and returns it, because callers treat arrays in different ways. */
export const valueAt = (document: Document, path: string): unknown => {
  if (!path.includes('.')) return document[path];
  let value: unknown = document;
  for (const name of path.split('.')) {
    if (Array.isArray(value) || value === null || value === undefined) return value;
    value = (value as Document)[name];
  }
  return value;
};

const primitiveRanks: Readonly<Record<string, number>> = { undefined: 1, number: 2, bigint: 2, string: 3, boolean: 8 };

/** Returns the rank of a value's type in MongoDB's sort order. */
const rankOf = (value: unknown): number => {
  if (value === null) return 1;
  const rank = primitiveRanks[typeof value];
  if (rank !== undefined) return rank;
  if (Array.isArray(value)) return 5;
  if (value instanceof Binary) return 6;
  if (value instanceof ObjectId) return 7;
  return value instanceof Date ? 9 : 4;
};

const comparable = (value: unknown): string | number | bigint | boolean => {
  if (value instanceof Date) return value.getTime();
  if (value === null || value === undefined) return 0;
  return typeof value === 'object' ? keyOf(value) : (value as string | number | bigint | boolean);
};

export const compareValues = (left: unknown, right: unknown): number => {
  const byType = rankOf(left) - rankOf(right);
  if (byType !== 0) return byType;
  const [one, other] = [comparable(left), comparable(right)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

export const isEmpty = (document: Document | undefined): boolean =>
  document === undefined || Object.keys(document).length === 0;
