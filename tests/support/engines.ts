import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { EventStore } from '../../application/ports/event-store.js';
import type { RebuildableReadModels } from '../../application/ports/generations.js';
import type { ReadModels } from '../../application/ports/read-models.js';
import { aggregates } from '../../domain/aggregates.js';
import { eventStoreDb } from '../../infrastructure/eventstoredb/event-store.js';
import { mongoReadModels } from '../../infrastructure/mongodb/read-models.js';
import { sqliteEventStore } from '../../infrastructure/sqlite/event-store.js';
import { sqliteReadModels } from '../../infrastructure/sqlite/read-models.js';
import { projections } from '../../projections/index.js';
import { freshDirectory } from './directories.js';
import { type EventStoreDouble, startEventStoreDouble } from './eventstoredb-double/server.js';
import { type MongoDouble, startMongoDouble } from './mongodb-double/server.js';
import { closeAtEnd } from './open-engines.js';
import { noRedis, redisDatabase } from './redis.js';
import { report } from './report.js';
import { keepHome } from './secrets.js';
import { isFull } from './tier.js';

/** Somewhere a service can be started, again and again, and several at once. */
export type Home = {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly events: () => Promise<EventStore>;
  readonly readModels: () => Promise<RebuildableReadModels>;
  readonly emptyReadModels: () => Promise<ReadModels>;
  /** What can be made to fail; a real server cannot. */
  readonly doubles?: { readonly eventStore: EventStoreDouble; readonly mongo: MongoDouble };
};

export type Engine = { readonly name: string; readonly isEmbedded: boolean; home(): Promise<Home> };

export const embedded: Engine = {
  name: 'embedded stores',
  isEmbedded: true,
  home: async () => {
    const directory = freshDirectory();
    return {
      directory,
      environment: {},
      events: () => sqliteEventStore(join(directory, 'events.db')),
      readModels: () => sqliteReadModels(join(directory, 'read-models.db'), projections),
      emptyReadModels: () => sqliteReadModels(join(freshDirectory(), 'read-models.db'), projections),
    };
  },
};

const { EVENTSTORE_URL, MONGODB_URL } = process.env;
const startDoubles = async () => {
  const [eventStore, mongo] = await Promise.all([startEventStoreDouble(), startMongoDouble()]);
  closeAtEnd(eventStore, mongo);
  return { eventStore, mongo };
};
const database = (url: string, name: string) =>
  url.replace(/^(mongodb(?:\+srv)?:\/\/[^/]+)\/?[^?]*/, `$1/${name}${randomBytes(6).toString('hex')}`);

/** The engines that scale: over their wire here, on real servers where their URLs are given; Redis is always real. */
export const services: Engine = {
  name: 'EventStoreDB, MongoDB and Redis',
  isEmbedded: false,
  home: async () => {
    const doubles = EVENTSTORE_URL && MONGODB_URL ? undefined : await startDoubles();
    const eventStoreUrl = EVENTSTORE_URL ?? doubles?.eventStore.url ?? '';
    const mongo = MONGODB_URL ?? doubles?.mongo.url ?? '';
    const mongoUrl = database(mongo, 'live');
    const redis = await redisDatabase();
    closeAtEnd({ close: redis.end });
    const home: Home = {
      directory: freshDirectory(),
      environment: {
        EVENTSTORE_URL: eventStoreUrl,
        MONGODB_URL: mongoUrl,
        REDIS_URL: redis.url,
        CHAINFOLD_MASTER_KEY: randomBytes(32).toString('hex'),
      },
      events: async () => eventStoreDb(eventStoreUrl, aggregates),
      readModels: () => mongoReadModels(mongoUrl, projections),
      emptyReadModels: () => mongoReadModels(database(mongo, 'fresh'), projections),
      ...(doubles && !EVENTSTORE_URL && !MONGODB_URL && { doubles }),
    };
    keepHome(home);
    return home;
  },
};

/** Every set of engines that the black-box suite runs on: in the full tier the services too. */
export const engines: readonly Engine[] = isFull && noRedis === null ? [embedded, services] : [embedded];
if (!isFull) report(`left to npm run test:full: the whole service on ${services.name}`);
