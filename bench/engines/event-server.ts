import { EventStoreDBClient, excludeSystemEvents, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import type { StreamWrite } from '../../application/ports/event-store.js';
import { eventStoreDb } from '../../infrastructure/eventstoredb/event-store.js';
import { positionOf } from '../../infrastructure/eventstoredb/records.js';
import { write } from '../append/rows.js';
import { serveSides } from '../measure/compiled.js';
import { perSecond } from '../measure/rounds.js';

const alone = 100;
const callers = 64;
const appendsOfEach = 20;
const commands = 5;
const streamsOfCommand = 100;
const pastOfEach = 80;
const past = callers * pastOfEach;

const [, , url = ''] = process.argv;
const open = async () => eventStoreDb(url, ['wallet']);
const store = await open();
const bare = EventStoreDBClient.connectionString(url);

type Append = (write: StreamWrite) => Promise<unknown>;
const ours: Append = (one) => store.append([one]);
const appendBare = ({ stream, events }: StreamWrite) =>
  bare.appendToStream(
    stream,
    events.map((event) => jsonEvent({ ...event, data: event.data as Record<string, unknown> })),
    { expectedRevision: NO_STREAM },
  );

const oneAtATime = (append: Append) => () =>
  perSecond(alone, async () => {
    for (let n = 0; n < alone; n++) await append(write());
  });
const fromManyCallers = (append: Append, each: number) =>
  Promise.all(
    Array.from({ length: callers }, async () => {
      for (let n = 0; n < each; n++) await append(write());
    }),
  );
const atOnce = (append: Append) => () =>
  perSecond(callers * appendsOfEach, () => fromManyCallers(append, appendsOfEach));
const commandsOf = (run: (writes: readonly StreamWrite[]) => Promise<unknown>) => () =>
  perSecond(commands, async () => {
    for (let n = 0; n < commands; n++) await run(Array.from({ length: streamsOfCommand }, write));
  });

/**
 * Stores the events that `readAll`, `feed` and their bare counterparts read. Returns the log position before these
 * events.
 */
const writePast = async () => {
  const { position } = await appendBare(write());
  if (!position) throw new Error('The event server is too old: it does not report the log position of an append');
  await fromManyCallers(ours, pastOfEach);
  return position;
};
const fromPosition = await writePast();
const after = positionOf(fromPosition.commit, 0);

type Batches = AsyncIterable<readonly unknown[]>;
const reading = (batches: () => Batches) => () =>
  perSecond(past, async () => {
    let read = 0;
    for await (const batch of batches()) {
      read += batch.length;
      if (read >= past) break;
    }
  });
const feed = async function* (): Batches {
  const ending = new AbortController();
  yield* store.subscribe(after, ending.signal);
};
/** Yields each event in a batch of its own, without the system events of the server. */
const eventsIn = async function* (resolved: AsyncIterable<{ readonly event?: { readonly type: string } }>): Batches {
  for await (const one of resolved) if (one.event && !one.event.type.startsWith('$')) yield [one.event];
};

serveSides({
  oneAtATime: oneAtATime(ours),
  bareOneAtATime: oneAtATime(appendBare),
  atOnce: atOnce(ours),
  bareAtOnce: atOnce(appendBare),
  command: commandsOf((writes) => store.append(writes)),
  bareCommand: commandsOf((writes) => Promise.all(writes.map(appendBare))),
  readAll: reading(() => store.readAll(after)),
  bareReadAll: reading(() => eventsIn(bare.readAll({ fromPosition }))),
  feed: reading(feed),
  bareFeed: reading(() => eventsIn(bare.subscribeToAll({ fromPosition, filter: excludeSystemEvents() }))),
  end: async () => {
    await Promise.all([store.close(), bare.dispose()]);
    return 0;
  },
});
