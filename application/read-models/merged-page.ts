import type { Collection } from '../../projections/define.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';

type Source = { readonly index: string; readonly equal: readonly string[] };

type Query<Doc> = {
  readonly collection: Collection<Doc>;
  readonly scope: string;
  /** A document that is in several of them is given once. */
  readonly sources: readonly Source[];
  readonly after: PageKey | undefined;
  readonly keyOf: (document: Doc) => PageKey;
  /** Which of the documents are wanted; what comes after a `stop` is not even looked at. */
  readonly choose: (documents: readonly Doc[]) => Promise<readonly ('take' | 'skip' | 'stop')[]>;
};

const readAtOnce = 100;

const compare = ([a, idA]: PageKey, [b, idB]: PageKey) => {
  if (a !== b) return a < b ? 1 : -1;
  if (idA === idB) return 0;
  return idA < idB ? 1 : -1;
};

/** What follows `after` in all sources together, newest first; complete up to its last document. */
const readSome = async <Doc>(readModels: ReadModels, query: Query<Doc>, after: PageKey | undefined) => {
  const { collection, scope, sources, keyOf } = query;
  const pages = await Promise.all(
    sources.map(({ index, equal }) => readModels.page(collection, scope, { index, equal, limit: readAtOnce, after })),
  );
  const ends = pages.flatMap(({ next }) => (next ? [next] : []));
  const sorted = pages
    .flatMap(({ documents }) => documents.map((document) => ({ document, key: keyOf(document) })))
    .sort((a, b) => compare(a.key, b.key));
  const found = sorted.filter(
    ({ key }, i) =>
      ends.every((end) => compare(key, end) <= 0) &&
      (i === 0 || compare(key, (sorted[i - 1] as (typeof sorted)[0]).key) !== 0),
  );
  return { found, isLast: ends.length === 0 };
};

/** The documents of several indexes as one list, newest first, without those that are not wanted. */
export const mergedList = async function* <Doc>(readModels: ReadModels, query: Query<Doc>) {
  let after = query.after;
  for (;;) {
    const { found, isLast } = await readSome(readModels, query, after);
    const chosen = await query.choose(found.map(({ document }) => document));
    for (const [i, { document }] of found.entries()) {
      if (chosen[i] === 'stop') return;
      if (chosen[i] === 'take') yield document;
    }
    if (isLast) return;
    after = found.at(-1)?.key;
  }
};

/** The first of them, and the key to go on from when there are more. */
export const takePage = async <Doc>(list: AsyncIterable<Doc>, size: number, keyOf: (document: Doc) => PageKey) => {
  const documents: Doc[] = [];
  for await (const document of list) {
    if (documents.length === size) return { documents, next: keyOf(documents.at(-1) as Doc) };
    documents.push(document);
  }
  return { documents, next: null };
};
