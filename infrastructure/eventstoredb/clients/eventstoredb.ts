import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { withDeadline } from '../../deadline.js';
import { type EventClient, maxCallMs, type NewRecord } from './client.js';
import { appendInOrder } from './ordered-appends.js';
import { stateOf } from './words.js';

const eventData = (record: NewRecord) => jsonEvent({ ...record, data: record.data as Record<string, unknown> });

/** Parts of the client that its types hide. */
type Inside = {
  readonly capabilities: Promise<{ serverVersion: string }>;
  supports(method: unknown): Promise<boolean>;
};

/**
 * Client of EventStoreDB 20 to 24. Appends go by the plain call: the batch call keeps the open appends of the whole
 * process in one map, which an error of any server clears, and throws outside every promise when an answer comes later.
 */
export const eventStoreClient = (url: string): EventClient => {
  const client = EventStoreDBClient.connectionString(url);
  const inside = client as unknown as Inside;
  const supports = inside.supports.bind(client);
  // The client appends in batches wherever it finds that the server supports them.
  Object.assign(client, { supports: async () => false });
  return {
    readStream: client.readStream.bind(client),
    readAll: client.readAll.bind(client),
    subscribeToAll: client.subscribeToAll.bind(client),
    append: async ({ stream, expected, records }) => {
      const options = { expectedRevision: stateOf(expected), deadline: maxCallMs };
      return (await client.appendToStream(stream, records.map(eventData), options)).position?.commit ?? null;
    },
    appendInOrder: async (writes, silentMs) => {
      if (!(await supports(services.StreamsService.batchAppend))) return false;
      await appendInOrder(client, writes, silentMs);
      return true;
    },
    server: async (deadlineMs) => ({
      product: 'EventStoreDB',
      version: (await withDeadline(inside.capabilities, deadlineMs)).serverVersion,
      way: 'reservations',
    }),
    dispose: () => client.dispose(),
  };
};
