import { jsonEvent, KurrentDBClient, STREAM_STATE } from '@kurrent/kurrentdb-client';
import { ServerFeatures } from '@kurrent/kurrentdb-client/dist/Client/ServerFeatures.js';
import { withDeadline } from '../../deadline.js';
import type { ClientWrite, EventClient, NewRecord, Server } from './client.js';
import { stateOf, wrappedMetadata } from './constants.js';
import { kurrentReads, type ReadingClient } from './kurrent-reads.js';

/**
 * Members that the client's types lack. `execute` requests the server's features anew, because the client caches even a
 * failed request.
 */
type Internals = ReadingClient & {
  execute(...call: typeof ServerFeatures.createServerFeatures): Promise<ServerFeatures>;
};
type Method = Parameters<ServerFeatures['supports']>[0];

const streamsMethod = (name: string) => ({ path: `/kurrentdb.protocol.v2.streams.StreamsService/${name}` }) as Method;

const eventData = (record: NewRecord) => jsonEvent({ ...record, data: record.data as Record<string, unknown> });
/** Encodes the metadata as one JSON string, because the server accepts only strings as values of properties. */
const withWrappedMetadata = (record: NewRecord) =>
  eventData({ ...record, metadata: { [wrappedMetadata]: JSON.stringify(record.metadata) } });

const appendRecords = async (client: KurrentDBClient, writes: readonly ClientWrite[]) => {
  const records = writes.flatMap(({ stream, records: own }) =>
    own.map((record) => ({ streamName: stream, record: withWrappedMetadata(record) })),
  );
  const checks = writes.map(({ stream, expected }) => ({
    type: STREAM_STATE as typeof STREAM_STATE,
    streamName: stream,
    expectedState: stateOf(expected),
  }));
  return (await client.appendRecords(records, checks)).position;
};
const appendSession = async (client: KurrentDBClient, writes: readonly ClientWrite[]) => {
  const requests = writes.map(({ stream, expected, records }) => ({
    streamName: stream,
    expectedState: stateOf(expected),
    events: records.map(withWrappedMetadata),
  }));
  return (await client.multiStreamAppend(requests)).position;
};

const multiStreamMethodOf = (features: ServerFeatures): Server['multiStreamMethod'] => {
  if (features.supports(streamsMethod('AppendRecords'))) return 'append records';
  return features.supports(streamsMethod('AppendSession')) ? 'append sessions' : 'reservations';
};

/**
 * Creates a client for KurrentDB 25 and later, which can append to several streams in one call. Appends to one stream
 * use the plain call instead of the batch call, as `eventStoreClient` does.
 */
export const kurrentClient = (url: string, maxCallMs: number): EventClient => {
  const client = KurrentDBClient.connectionString(url);
  Object.assign(client, { supports: async ({ path }: Method) => !path.endsWith('/BatchAppend') });
  const internals = client as unknown as Internals;
  const server = async (timeoutMs = maxCallMs): Promise<Server> => {
    const features = await withDeadline(internals.execute(...ServerFeatures.createServerFeatures), timeoutMs);
    return { product: 'KurrentDB', version: features.serverVersion, multiStreamMethod: multiStreamMethodOf(features) };
  };
  return {
    ...kurrentReads(internals),
    subscribeToAll: client.subscribeToAll.bind(client) as unknown as EventClient['subscribeToAll'],
    append: async ({ stream, expected, records }) => {
      const options = { streamState: stateOf(expected), deadline: maxCallMs };
      return (await client.appendToStream(stream, records.map(eventData), options)).position?.commit ?? null;
    },
    appendMany: (writes, way) => (way === 'append records' ? appendRecords : appendSession)(client, writes),
    appendInOrder: async () => false,
    server,
    dispose: () => client.dispose(),
  };
};
