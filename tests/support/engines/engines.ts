import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { RebuildableReadModels } from '../../../application/ports/generations.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { aggregates } from '../../../domain/aggregates.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { mongoReadModels } from '../../../infrastructure/mongodb/read-models.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { sqliteReadModels } from '../../../infrastructure/sqlite/read-models/read-models.js';
import { projections } from '../../../projections/index.js';
import { type EventStoreDouble, startEventStoreDouble } from '../eventstoredb-double/server.js';
import { type MongoDouble, startMongoDouble } from '../mongodb-double/server.js';
import { freshDirectory } from '../run/directories.js';
import { closeAtEnd } from '../run/open-engines.js';
import { report } from '../run/report.js';
import { keepHome } from '../run/secrets.js';
import { freshNamespace, given } from '../run/servers.js';
import { byTier, isFull } from '../run/tier.js';
import { noRedis, redisDatabase } from './redis.js';

/** Persistent stores of a test. Several services can run on them, one after another or at once. */
export type Home = {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly events: () => Promise<EventStore>;
  readonly readModels: () => Promise<RebuildableReadModels>;
  readonly emptyReadModels: () => Promise<ReadModels>;
  /** Doubles of the engines, which a test can make fail; absent for embedded stores and real servers. */
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

const startDoubles = async () => {
  const [eventStore, mongo] = await Promise.all([startEventStoreDouble(), startMongoDouble()]);
  closeAtEnd(eventStore, mongo);
  return { eventStore, mongo };
};

/**
 * Engines that run as servers: doubles that speak the wire protocol, or real servers if their URLs are set. Redis is
 * always real.
 */
export const services: Engine = {
  name: 'EventStoreDB, MongoDB and Redis',
  isEmbedded: false,
  home: async () => {
    const doubles = given.eventStore && given.mongo ? undefined : await startDoubles();
    const eventStoreUrl = given.eventStore ?? doubles?.eventStore.url ?? '';
    const mongoUrl = given.mongo ?? doubles?.mongo.url ?? '';
    const namespace = freshNamespace();
    const redis = await redisDatabase();
    closeAtEnd({ close: redis.end });
    const home: Home = {
      directory: freshDirectory(),
      environment: {
        EVENTSTORE_URL: eventStoreUrl,
        MONGODB_URL: mongoUrl,
        REDIS_URL: redis.url,
        CHAINFOLD_NAMESPACE: namespace,
        CHAINFOLD_MASTER_KEY: randomBytes(32).toString('hex'),
      },
      events: async () => eventStoreDb(eventStoreUrl, aggregates, namespace),
      readModels: () => mongoReadModels(mongoUrl, projections, { namespace }),
      emptyReadModels: () => mongoReadModels(mongoUrl, projections, { namespace: freshNamespace() }),
      ...(doubles && !given.eventStore && !given.mongo && { doubles }),
    };
    keepHome(home);
    return home;
  },
};

/** Sets of engines that the black-box suite runs on. */
export const engines: readonly Engine[] = byTier([embedded], noRedis === null ? [services] : []);
if (!isFull) report(`left to npm run test:full: the whole service on ${services.name}`);
else if (noRedis !== null) report(`not run: the whole service on ${services.name}: ${noRedis}`);
