import type { Db } from 'mongodb';
import { Failure } from '../../domain/failure.js';
import type { AnyCollection } from '../../projections/define.js';

export const collectionName = ({ name, version }: AnyCollection) => `${name}_${version}`;

/** Where a document's field lies in the stored record. */
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

/** Makes what is declared, and stops if an index of that name is there but is another one. */
export const ensureIndexes = async (db: Db, collections: readonly AnyCollection[]) => {
  for (const collection of collections) {
    const name = collectionName(collection);
    const wanted = indexesOf(collection);
    if (wanted.length === 0) continue;
    const stored = db.collection(name);
    await stored.createIndexes(wanted);
    const found = new Map(
      (await stored.listIndexes().toArray()).map((index) => [index.name, JSON.stringify(index.key)]),
    );
    const wrong = wanted.find((index) => found.get(index.name) !== JSON.stringify(index.key));
    if (wrong)
      throw new Failure(
        'FAILED_PRECONDITION',
        `the MongoDB index ${name}.${wrong.name} is not the declared one; drop it`,
      );
  }
};
