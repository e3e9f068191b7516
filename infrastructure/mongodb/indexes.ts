import type { Db } from 'mongodb';
import { Failure } from '../../domain/failure.js';
import type { AnyCollection } from '../../projections/define.js';
import type { StoredCollection } from './live.js';

/** Returns the path of a read-model document's field in the MongoDB document that stores it. */
export const fieldOf = (name: string) => `document.${name}`;

const indexesOf = ({ indexes }: AnyCollection) =>
  Object.entries(indexes).map(([name, { equal, order }]) => ({
    name,
    key: Object.fromEntries([
      ['scope', 1],
      ...equal.map((field) => [fieldOf(field), 1]),
      [fieldOf(order), -1],
      ['id', -1],
    ]) as Record<string, 1 | -1>,
  }));

const missingNamespace = 26;

/** Returns the keys of each existing index by name; an empty map if the collection does not exist yet. */
const existing = async (db: Db, name: string) => {
  try {
    const indexes = await db.collection(name).listIndexes().toArray();
    return new Map(indexes.map((index) => [String(index.name), JSON.stringify(index.key)]));
  } catch (error) {
    if ((error as { code?: number }).code === missingNamespace) return new Map<string, string>();
    throw error;
  }
};

/** Lists declared indexes that are missing or have different keys. */
export const missingIndexes = async (db: Db, wanted: readonly StoredCollection[]): Promise<readonly string[]> => {
  const missing: string[] = [];
  for (const { collection, stored } of wanted) {
    const found = await existing(db, stored);
    for (const { name, key } of indexesOf(collection))
      if (found.get(name) !== JSON.stringify(key)) missing.push(`${stored}.${name}`);
  }
  return missing;
};

/** Creates the declared indexes. Fails if an index of the same name has different keys. */
export const ensureIndexes = async (db: Db, wanted: readonly StoredCollection[]) => {
  for (const { collection, stored: name } of wanted) {
    const found = await existing(db, name);
    const declared = indexesOf(collection);
    const differing = declared.find(
      (index) => found.has(index.name) && found.get(index.name) !== JSON.stringify(index.key),
    );
    if (differing)
      throw new Failure(
        'FAILED_PRECONDITION',
        `MongoDB index ${differing.name} of collection ${name} differs from the declared one. Drop the index and start again.`,
      );
    const missing = declared.filter((index) => !found.has(index.name));
    if (missing.length > 0) await db.collection(name).createIndexes(missing);
  }
};
