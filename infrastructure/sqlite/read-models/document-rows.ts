import type { Change } from '../../../application/ports/read-models.js';
import type { AnyCollection } from '../../../projections/define.js';

type Cell = string | number | null;

/** Rows of one collection as a flat list of cells, which is the cheapest form to send between threads. */
export type DocumentRows = { readonly collection: string; readonly cells: readonly Cell[] };

/** First cells of every row. Null in the cell `document` deletes the stored row. */
export const ownCells = ['scope', 'id', 'document'] as const;
export const documentCell = 2;

const known = new WeakMap<AnyCollection, readonly string[]>();

/** Returns the fields that the indexes need. The values of these fields follow the first cells of a row. */
export const columnsOf = (collection: AnyCollection): readonly string[] => {
  const found = known.get(collection);
  if (found) return found;
  const columns = [...new Set(Object.values(collection.indexes).flatMap(({ equal, order }) => [...equal, order]))];
  known.set(collection, columns);
  return columns;
};

type Fields = Readonly<Record<string, Cell | undefined>>;

const put = (cells: Cell[], { collection, scope, id, document }: Change) => {
  cells.push(scope, id, document && JSON.stringify(document));
  for (const column of columnsOf(collection)) cells.push((document as Fields | null)?.[column] ?? null);
};

/** Creates a collector of changes, which it converts to rows grouped by collection. */
export const createDocumentRows = () => {
  const cells = new Map<string, Cell[]>();
  const cellsOf = ({ name }: AnyCollection) => {
    const found = cells.get(name) ?? [];
    cells.set(name, found);
    return found;
  };
  return {
    add: (change: Change) => put(cellsOf(change.collection), change),
    all: (): readonly DocumentRows[] => [...cells].map(([collection, some]) => ({ collection, cells: some })),
  };
};
