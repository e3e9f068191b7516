import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { withDeadline } from '../../deadline.js';
import type { EventClient, NewRecord } from './client.js';
import { stateOf } from './constants.js';
import { appendInOrder } from './ordered-appends.js';

const eventData = (record: NewRecord) => jsonEvent({ ...record, data: record.data as Record<string, unknown> });

/** Members of the client that are missing in its types. */
type Internals = {
  readonly capabilities: Promise<{ serverVersion: string }>;
  supports(method: unknown): Promise<boolean>;
};

/**
 * Creates a client for EventStoreDB 20 to 24. Appends use the plain call, because the client's batch call keeps the
 * in-flight appends of the whole process in one map, which an error of any server clears. A late answer to a cleared
 * append throws an uncaught exception.
 */
export const eventStoreClient = (url: string, maxCallMs: number): EventClient => {
  const client = EventStoreDBClient.connectionString(url);
  const internals = client as unknown as Internals;
  const supports = internals.supports.bind(client);
  // The override disables batch appends, which the client would use with every server that supports them.
  Object.assign(client, { supports: async () => false });
  return {
    readStream: client.readStream.bind(client),
    readAll: client.readAll.bind(client),
    subscribeToAll: client.subscribeToAll.bind(client),
    append: async ({ stream, expected, records }) => {
      const options = { expectedRevision: stateOf(expected), deadline: maxCallMs };
      return (await client.appendToStream(stream, records.map(eventData), options)).position?.commit ?? null;
    },
    appendInOrder: async (writes, idleTimeoutMs) => {
      if (!(await supports(services.StreamsService.batchAppend))) return false;
      await appendInOrder(client, writes, idleTimeoutMs);
      return true;
    },
    server: async (timeoutMs = maxCallMs) => ({
      product: 'EventStoreDB',
      version: (await withDeadline(internals.capabilities, timeoutMs)).serverVersion,
      multiStreamMethod: 'reservations',
    }),
    dispose: () => client.dispose(),
  };
};
