import { type EventStore, noStream, type Recorded, type Revision } from '../../application/ports/event-store.js';
import { inParallel } from './commit.js';
import { type Connection, committedAt, type NewRecord } from './connection.js';

const readsAtOnce = 64;
/** A server takes a megabyte at once. */
const mostInOne = 50;

const recordOf = ({ id, type, data, metadata, time }: Recorded): NewRecord => ({
  id,
  type,
  data,
  metadata: { ...metadata, [committedAt]: time },
});

/** Events of one stream that lie next to each other. */
const runsOf = (events: readonly Recorded[]) =>
  events.reduce<Recorded[][]>((runs, event) => {
    const last = runs.at(-1);
    if (last && last[0]?.stream === event.stream && last.length < mostInOne) last.push(event);
    else runs.push([event]);
    return runs;
  }, []);

/** One append after the other, since it is their order in the log that is kept. */
export const createAdoption =
  (connection: Connection): EventStore['adopt'] =>
  async (events) => {
    const revisions = new Map<string, Revision>();
    await inParallel([...new Set(events.map(({ stream }) => stream))], readsAtOnce, async (stream) => {
      const [newest] = await connection.readStream(stream, { count: 1, newestFirst: true });
      revisions.set(stream, newest?.revision ?? noStream);
    });
    for (const run of runsOf(events)) {
      const stream = run[0]?.stream ?? '';
      const expected = revisions.get(stream) ?? noStream;
      await connection.append(stream, expected, run.map(recordOf));
      revisions.set(stream, expected + run.length);
    }
  };
