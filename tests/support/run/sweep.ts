import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { given, runPrefix } from './servers.js';

type Position = { commit: bigint; prepare: bigint };

/** Test server with its version. `sweep` deletes everything that this run stored on the server. */
export type Sweep = { readonly version: string; sweep(): Promise<void> };

/**
 * Imports the client of EventStoreDB only when it is used, because a process that connects to KurrentDB must not load
 * it.
 */
const eventStore = async (url: string): Promise<Sweep> => {
  const { BACKWARDS, END, EventStoreDBClient, FORWARDS, START } = await import('@eventstore/db-client');
  const client = EventStoreDBClient.connectionString(url);
  const { capabilities } = client as unknown as { capabilities: Promise<{ serverVersion: string }> };
  const { serverVersion } = await capabilities;
  let from: Position | 'start' = START;
  for await (const { event } of client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }))
    if (event) from = event.position;
  return {
    version: `EventStoreDB ${serverVersion}`,
    sweep: async () => {
      const streams = new Set<string>();
      for await (const { event } of client.readAll({ direction: FORWARDS, fromPosition: from }))
        if (event?.streamId.startsWith(runPrefix)) streams.add(event.streamId);
      for (const stream of streams) await client.deleteStream(stream);
      await client.dispose();
    },
  };
};

const mongo = async (url: string): Promise<Sweep> => {
  const client = await MongoClient.connect(url);
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  return {
    version: `MongoDB ${version}`,
    sweep: async () => {
      const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
      for (const { name } of databases) if (name.startsWith(runPrefix)) await client.db(name).dropDatabase();
      await client.close();
    },
  };
};

const redis = async (url: string): Promise<Sweep> => {
  const client = new Redis(url);
  const version = /redis_version:(\S+)/.exec(await client.info('server'))?.[1];
  return {
    version: `Redis ${version}`,
    sweep: async () => {
      for await (const keys of client.scanStream({ match: `${runPrefix}*`, count: 1000 }))
        if (keys.length > 0) await client.unlink(keys as string[]);
      client.disconnect();
    },
  };
};

/**
 * Connects to the servers whose URLs are in the environment. KurrentDB is left out: it is a double, which ends with its
 * test.
 */
export const openSweeps = (): Promise<readonly Sweep[]> =>
  Promise.all([
    ...(given.eventStore?.startsWith('esdb') ? [eventStore(given.eventStore)] : []),
    ...(given.mongo ? [mongo(given.mongo)] : []),
    ...(given.redis ? [redis(given.redis)] : []),
  ]);
