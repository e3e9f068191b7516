import { Redis } from 'ioredis';
import { BSON, MongoClient } from 'mongodb';
import { beginning, type EventStore } from '../../../application/ports/event-store.js';
import { databaseIn } from '../../../infrastructure/mongodb/connection.js';

/** Stores of a service: its directory and the engines in its environment. */
export type Stores = {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly events: () => Promise<EventStore>;
};

const reads: Readonly<Record<string, (redis: Redis, key: string) => Promise<unknown>>> = {
  string: (redis, key) => redis.get(key),
  hash: (redis, key) => redis.hgetall(key),
  list: (redis, key) => redis.lrange(key, 0, -1),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, '0', '-1'),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
  // Redis returns this type for a key that has expired since it was listed.
  none: async () => null,
};

const redisContents = async (url: string, namespace: string) => {
  const redis = new Redis(url);
  try {
    const entry = async (key: string) => {
      const type = await redis.type(key);
      const read = reads[type];
      if (!read) throw new Error(`${key} is a ${type}: this search has no reader for that type`);
      return [key, await read(redis, key)];
    };
    return JSON.stringify(await Promise.all((await redis.keys(`${namespace}*`)).map(entry)));
  } finally {
    redis.disconnect();
  }
};

const mongoContents = async (url: string, namespace: string) => {
  const client = await MongoClient.connect(url, { serverSelectionTimeoutMS: 3000 });
  try {
    const collections = await client.db(databaseIn(url, namespace)).collections();
    const documents = await Promise.all(collections.map((one) => one.find({}).toArray()));
    // BSON keeps binary values as bytes, in which the search can find a secret.
    return Buffer.concat(documents.flat().map((document) => BSON.serialize(document)));
  } finally {
    await client.close();
  }
};

const eventContents = async (open: Stores['events']) => {
  const store = await open();
  const batches: string[] = [];
  try {
    for await (const batch of store.readAll(beginning)) batches.push(JSON.stringify(batch));
  } finally {
    await store.close();
  }
  return batches.join('\n');
};

/**
 * Reads all data that a service stores on servers, keyed by URL. Embedded stores are left out: they are files in the
 * directory.
 */
export const contentsOf = async ({ environment, events }: Stores): Promise<Record<string, Buffer | string>> => {
  const { REDIS_URL, MONGODB_URL, EVENTSTORE_URL, CHAINFOLD_NAMESPACE = '' } = environment;
  return {
    ...(REDIS_URL && { [REDIS_URL]: await redisContents(REDIS_URL, CHAINFOLD_NAMESPACE) }),
    ...(MONGODB_URL && { [MONGODB_URL]: await mongoContents(MONGODB_URL, CHAINFOLD_NAMESPACE) }),
    ...(EVENTSTORE_URL && { [EVENTSTORE_URL]: await eventContents(events) }),
  };
};
