import { Redis } from 'ioredis';
import { BSON, MongoClient } from 'mongodb';
import { beginning, type EventStore } from '../../application/ports/event-store.js';

/** Where a service keeps things besides its directory. */
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
  // It expired between two questions.
  none: async () => null,
};

const redisContents = async (url: string) => {
  const redis = new Redis(url);
  try {
    const entry = async (key: string) => {
      const type = await redis.type(key);
      const read = reads[type];
      if (!read) throw new Error(`${key} is a ${type}, which is not read here yet`);
      return [key, await read(redis, key)];
    };
    return JSON.stringify(await Promise.all((await redis.keys('*')).map(entry)));
  } finally {
    redis.disconnect();
  }
};

const mongoContents = async (url: string) => {
  const client = await MongoClient.connect(url, { serverSelectionTimeoutMS: 3000 });
  try {
    const collections = await client.db().collections();
    const documents = await Promise.all(collections.map((one) => one.find({}).toArray()));
    // As the wire has them, so that binary values are bytes and not some text for them.
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

/** Everything that the engines hold for a home, by engine; what is embedded lies in the directory. */
export const contentsOf = async ({ environment, events }: Stores): Promise<Record<string, Buffer | string>> => {
  const { REDIS_URL, MONGODB_URL, EVENTSTORE_URL } = environment;
  return {
    ...(REDIS_URL && { [REDIS_URL]: await redisContents(REDIS_URL) }),
    ...(MONGODB_URL && { [MONGODB_URL]: await mongoContents(MONGODB_URL) }),
    ...(EVENTSTORE_URL && { [EVENTSTORE_URL]: await eventContents(events) }),
  };
};
