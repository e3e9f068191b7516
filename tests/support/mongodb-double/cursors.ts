import { type Document, Long } from 'bson';
import { commandError } from './errors.js';

/**
 * Number of documents in the first batch, as on the server. Later batches are limited by their size in bytes on the
 * server, but by their number of documents here.
 */
const firstBatchSize = 101;
const nextBatchSize = 1000;

export type Cursors = ReturnType<typeof createCursors>;

export const createCursors = () => {
  const cursors = new Map<string, { readonly namespace: string; readonly rest: Document[] }>();
  let lastId = 0;
  return {
    open: (
      namespace: string,
      documents: readonly Document[],
      { batchSize = firstBatchSize, singleBatch = false }: { batchSize?: number; singleBatch?: boolean } = {},
    ): Document => {
      const rest = singleBatch ? [] : documents.slice(batchSize);
      const id = rest.length === 0 ? Long.ZERO : Long.fromNumber(++lastId);
      if (rest.length > 0) cursors.set(id.toString(), { namespace, rest });
      return { cursor: { firstBatch: documents.slice(0, batchSize), id, ns: namespace } };
    },
    more: (cursorId: unknown, batchSize = nextBatchSize): Document => {
      const id = String(cursorId);
      const cursor = cursors.get(id);
      if (!cursor) throw commandError(43, `cursor id ${id} not found`);
      const nextBatch = cursor.rest.splice(0, batchSize);
      const exhausted = cursor.rest.length === 0;
      if (exhausted) cursors.delete(id);
      return { cursor: { nextBatch, id: exhausted ? Long.ZERO : Long.fromString(id), ns: cursor.namespace } };
    },
    kill: (ids: readonly unknown[]): Document => {
      const [cursorsKilled, cursorsNotFound] = [[] as unknown[], [] as unknown[]];
      for (const id of ids) (cursors.delete(String(id)) ? cursorsKilled : cursorsNotFound).push(id);
      return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
    },
    clear: () => cursors.clear(),
  };
};
