import {
  beginning,
  type EventStore,
  noStream,
  type Recorded,
  type Revision,
} from '../../../application/ports/event-store.js';
import { loopTurn } from '../../loop-turn.js';
import { createStreamCache } from '../../memory/stream-cache.js';
import { type Database, limitParameter } from '../database.js';
import { isInPlace } from './event-order.js';
import { allColumns, allRecorded, rowsAtOnce } from './event-rows.js';

type Stream = { readonly events: readonly Recorded[]; readonly revision: Revision };
/** Row of `allColumns` and the revision. */
type StreamRow = readonly [number, string, string, string, string, string, number, number, Revision];

const byPosition = (a: Recorded, b: Recorded) => a.position - b.position;

const emptyStream: Stream = { events: [], revision: noStream };

/**
 * Returns a function that reads a stream, at most `rowsAtOnce` events per turn of the event loop, and of a long stream
 * only the events that it has not read before.
 */
export const createStreamRead = (db: Database): EventStore['read'] => {
  const statement = db.prepare(
    `SELECT ${allColumns}, revision FROM events WHERE stream = ? AND revision > ? AND ${isInPlace} ORDER BY revision ${limitParameter}`,
  );
  // Arrays are faster than objects, and some streams have thousands of events.
  statement.setReturnArrays(true);
  const cache = createStreamCache<Stream>();

  /** Returns the stream with the events that follow what is known of it; the known stream itself if there are none. */
  const readAfter = async (name: string, known: Stream): Promise<Stream> => {
    const found: Recorded[] = [];
    let { revision } = known;
    for (;;) {
      const rows = statement.all(name, revision, rowsAtOnce) as unknown as StreamRow[];
      found.push(...allRecorded(rows));
      revision = rows.at(-1)?.[8] ?? revision;
      if (rows.length < rowsAtOnce) break;
      await loopTurn();
    }
    if (found.length === 0) return known;
    // Events are sorted by position, because seals cover positions but not revisions, so that only the order of
    // positions can be proven.
    found.sort(byPosition);
    const isInOrder = (known.events.at(-1)?.position ?? beginning) <= (found[0]?.position ?? beginning);
    const events = [...known.events, ...found];
    if (!isInOrder) events.sort(byPosition);
    return { events, revision };
  };

  return async (name) => {
    const known = cache.get(name) ?? emptyStream;
    const stream = await readAfter(name, known);
    if (stream !== known) cache.set(name, stream);
    return stream;
  };
};
