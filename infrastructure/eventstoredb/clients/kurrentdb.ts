import { jsonEvent, KurrentDBClient, STREAM_STATE } from '@kurrent/kurrentdb-client';
import { ServerFeatures } from '@kurrent/kurrentdb-client/dist/Client/ServerFeatures.js';
import { withDeadline } from '../../deadline.js';
import { type ClientWrite, type EventClient, maxCallMs, type NewRecord, type Server } from './client.js';
import { kurrentReads, type Reading } from './kurrent-reads.js';
import { stateOf, wrappedMetadata } from './words.js';

/** Parts of the client that its types hide; the features are asked for anew, because it remembers a lost answer. */
type Inside = Reading & { execute(...call: typeof ServerFeatures.createServerFeatures): Promise<ServerFeatures> };
type Method = Parameters<ServerFeatures['supports']>[0];

const manyStreams = (name: string) => ({ path: `/kurrentdb.protocol.v2.streams.StreamsService/${name}` }) as Method;

const eventData = (record: NewRecord) => jsonEvent({ ...record, data: record.data as Record<string, unknown> });
/** Keeps metadata as one text, because values of properties must be texts and the metadata must come back the same. */
const wrapped = (record: NewRecord) =>
  eventData({ ...record, metadata: { [wrappedMetadata]: JSON.stringify(record.metadata) } });

const appendRecords = async (client: KurrentDBClient, writes: readonly ClientWrite[]) => {
  const records = writes.flatMap(({ stream, records: own }) =>
    own.map((record) => ({ streamName: stream, record: wrapped(record) })),
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
    events: records.map(wrapped),
  }));
  return (await client.multiStreamAppend(requests)).position;
};

const wayOf = (features: ServerFeatures): Server['way'] => {
  if (features.supports(manyStreams('AppendRecords'))) return 'append records';
  return features.supports(manyStreams('AppendSession')) ? 'append sessions' : 'reservations';
};

/**
 * Client of KurrentDB 25 and later, which appends to many streams at once where the server can. Single appends go by
 * the plain call, as with the older client.
 */
export const kurrentClient = (url: string): EventClient => {
  const client = KurrentDBClient.connectionString(url);
  Object.assign(client, { supports: async ({ path }: Method) => !path.endsWith('/BatchAppend') });
  const inside = client as unknown as Inside;
  const server = async (deadlineMs: number): Promise<Server> => {
    const features = await withDeadline(inside.execute(...ServerFeatures.createServerFeatures), deadlineMs);
    return { product: 'KurrentDB', version: features.serverVersion, way: wayOf(features) };
  };
  return {
    ...kurrentReads(inside),
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
