import { fail } from '../../domain/failure.js';
import type { Collection } from '../../projections/define.js';
import type { Context } from '../commands/handle.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';

type Source = { readonly index: string; readonly equal: readonly string[] };

type Choice = 'take' | 'skip' | 'stop';
type Chosen<Doc> = {
  readonly found: readonly { readonly document: Doc; readonly key: PageKey; readonly choice: Choice | undefined }[];
  readonly isLast: boolean;
};

type Query<Doc> = {
  readonly collection: Collection<Doc>;
  readonly scope: string;
  /** Indexes to merge; a document found in several indexes is listed once. */
  readonly sources: readonly Source[];
  readonly after: PageKey | undefined;
  readonly oldestFirst?: boolean;
  /** Caller, which is charged for skipped documents. Reading ends with an error once the caller has disconnected. */
  readonly caller: Pick<Context, 'touch' | 'isCancelled'>;
  readonly keyOf: (document: Doc) => PageKey;
  /** Runs every read but the first in a fair queue, so that a long list does not delay other requests. */
  readonly inTurn: (read: () => Promise<Chosen<Doc>>) => Promise<Chosen<Doc>>;
  /** Returns for each document whether to list it; reading ends at the first `stop`. */
  readonly choose: (documents: readonly Doc[]) => Promise<readonly Choice[]>;
};

const batchSize = 100;

const compare = ([a, idA]: PageKey, [b, idB]: PageKey) => {
  if (a !== b) return a < b ? 1 : -1;
  if (idA === idB) return 0;
  return idA < idB ? 1 : -1;
};

/**
 * Reads a page of each source and merges them. Leaves out documents past the end of any page, because documents that
 * are not read yet may precede them.
 */
const readSome = async <Doc>(readModels: ReadModels, query: Query<Doc>, after: PageKey | undefined) => {
  const { collection, scope, sources, keyOf, oldestFirst = false } = query;
  const inOrder = (a: PageKey, b: PageKey) => (oldestFirst ? compare(b, a) : compare(a, b));
  const wanted = { limit: batchSize, after, oldestFirst };
  const pages = await Promise.all(
    sources.map((source) => readModels.page(collection, scope, { ...source, ...wanted })),
  );
  const ends = pages.flatMap(({ next }) => (next ? [next] : []));
  const sorted = pages
    .flatMap(({ documents }) => documents.map((document) => ({ document, key: keyOf(document) })))
    .sort((a, b) => inOrder(a.key, b.key));
  const found = sorted.filter(
    ({ key }, i) =>
      ends.every((end) => inOrder(key, end) <= 0) &&
      (i === 0 || inOrder(key, (sorted[i - 1] as (typeof sorted)[0]).key) !== 0),
  );
  return { found, isLast: ends.length === 0 };
};

const requireWaiting = ({ isCancelled }: Query<unknown>['caller']) => {
  if (isCancelled?.()) fail('UNAVAILABLE', 'The request was canceled before the answer was ready.');
};

/** Yields the chosen documents of several indexes as one list, newest first unless `oldestFirst`. */
export const mergedList = async function* <Doc>(readModels: ReadModels, query: Query<Doc>) {
  const read = async (after: PageKey | undefined): Promise<Chosen<Doc>> => {
    const { found, isLast } = await readSome(readModels, query, after);
    const choices = await query.choose(found.map(({ document }) => document));
    query.caller.touch?.(choices.filter((choice) => choice === 'skip').length);
    return { found: found.map((one, i) => ({ ...one, choice: choices[i] })), isLast };
  };
  let { found, isLast } = await read(query.after);
  for (;;) {
    for (const { document, choice } of found) {
      if (choice === 'stop') return;
      if (choice === 'take') yield document;
    }
    if (isLast) return;
    const after = found.at(-1)?.key;
    requireWaiting(query.caller);
    ({ found, isLast } = await query.inTurn(() => read(after)));
  }
};

/** Takes the first `size` documents; `next` is the key to continue after, null at the end of the list. */
export const takePage = async <Doc>(list: AsyncIterable<Doc>, size: number, keyOf: (document: Doc) => PageKey) => {
  const documents: Doc[] = [];
  for await (const document of list) {
    if (documents.length === size) return { documents, next: keyOf(documents.at(-1) as Doc) };
    documents.push(document);
  }
  return { documents, next: null };
};
