import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { EventStore } from '../../application/ports/event-store.js';
import type { RebuildableReadModels } from '../../application/ports/generations.js';
import type { Jobs } from '../../application/ports/jobs.js';
import type { Limiter } from '../../application/ports/limiter.js';
import type { PendingTransactions } from '../../application/ports/pending.js';
import type { ReadModels } from '../../application/ports/read-models.js';
import type { StateStore } from '../../application/ports/state.js';
import { eventStoreDb } from '../../infrastructure/eventstoredb/event-store.js';
import { memoryReadModels } from '../../infrastructure/memory/read-models.js';
import { mongoPending } from '../../infrastructure/mongodb/pending.js';
import { mongoReadModels } from '../../infrastructure/mongodb/read-models.js';
import { mongoState } from '../../infrastructure/mongodb/state.js';
import { bullJobs } from '../../infrastructure/redis/jobs.js';
import { redisLimiter } from '../../infrastructure/redis/limiter.js';
import { sqliteEventStore } from '../../infrastructure/sqlite/event-store.js';
import { sqliteJobs } from '../../infrastructure/sqlite/jobs.js';
import { sqliteLimiter } from '../../infrastructure/sqlite/limiter.js';
import { sqlitePending } from '../../infrastructure/sqlite/pending.js';
import { sqliteReadModels } from '../../infrastructure/sqlite/read-models.js';
import { sqliteState } from '../../infrastructure/sqlite/state.js';
import type { AnyCollection } from '../../projections/define.js';
import { freshDirectory } from './directories.js';
import { startEventStoreDouble } from './eventstoredb-double/server.js';
import { startMongoDouble } from './mongodb-double/server.js';
import type { Place } from './places.js';
import { noRedis, redisDatabase, redisKind } from './redis.js';
import { report } from './report.js';
import { silent } from './silent.js';
import { isFull } from './tier.js';

const { EVENTSTORE_URL, MONGODB_URL } = process.env;
const aggregates = ['thing'];
const inFile = (name: string) => join(freshDirectory(), name);

const eventStoreOverWire = (batchAppend: boolean) => async (): Promise<Place<EventStore>> => {
  const double = await startEventStoreDouble({ batchAppend });
  return { open: async () => eventStoreDb(double.url, aggregates), end: double.close };
};

/** A database of its own on the double, or on the server where one is given. */
const mongoDatabase = async () => {
  const name = `chainfold-test-${randomBytes(6).toString('hex')}`;
  const named = (url: string) => url.replace(/^(mongodb(?:\+srv)?:\/\/[^/]+)\/?[^?]*/, `$1/${name}`);
  if (MONGODB_URL) return { url: named(MONGODB_URL) };
  const double = await startMongoDouble();
  return { url: named(double.url), end: double.close };
};

/** Every adapter of every port, by name. A contract suite runs over each. */
export const eventStores = {
  sqlite: async () => {
    const path = inFile('events.db');
    return { open: () => sqliteEventStore(path) };
  },
  'eventstoredb over its wire': eventStoreOverWire(true),
  // An older server; the difference is in how appends travel.
  ...(isFull && { 'eventstoredb over its wire, without batch append': eventStoreOverWire(false) }),
  ...(EVENTSTORE_URL && { eventstoredb: async () => ({ open: async () => eventStoreDb(EVENTSTORE_URL, aggregates) }) }),
} satisfies Record<string, () => Promise<Place<EventStore>>>;

/** `open` may be told what another version of the software would declare. */
type ModelsPlace = {
  open(collections?: readonly AnyCollection[]): Promise<RebuildableReadModels>;
  end?(): Promise<void>;
};

export const rebuildableReadModels = {
  sqlite: async (collections: readonly AnyCollection[]) => {
    const path = inFile('read-models.db');
    return { open: (others = collections) => sqliteReadModels(path, others) };
  },
  mongodb: async (collections: readonly AnyCollection[]) => {
    const { url, ...rest } = await mongoDatabase();
    return { open: (others = collections) => mongoReadModels(url, others), ...rest };
  },
} satisfies Record<string, (collections: readonly AnyCollection[]) => Promise<ModelsPlace>>;

export const readModels = {
  ...rebuildableReadModels,
  memory: async () => {
    const store = memoryReadModels();
    return { open: async () => store };
  },
} satisfies Record<string, (collections: readonly AnyCollection[]) => Promise<Place<ReadModels>>>;

export const states = {
  sqlite: async () => {
    const path = inFile('state.db');
    return { open: () => sqliteState(path) };
  },
  mongodb: async () => {
    const { url, ...rest } = await mongoDatabase();
    return { open: () => mongoState(url), ...rest };
  },
} satisfies Record<string, () => Promise<Place<StateStore>>>;

export const pendingStores = {
  sqlite: async () => {
    const path = inFile('pending.db');
    return { open: () => sqlitePending(path) };
  },
  mongodb: async () => {
    const { url, ...rest } = await mongoDatabase();
    return { open: () => mongoPending(url), ...rest };
  },
} satisfies Record<string, () => Promise<Place<PendingTransactions>>>;

type LimiterPlace = Place<Limiter> & { now(): number; elapse(ms: number): Promise<void> };

export const limiters = {
  sqlite: async () => {
    const path = inFile('limiter.db');
    let ahead = 0;
    const now = () => Date.now() + ahead;
    const elapse = async (ms: number) => {
      ahead += ms;
    };
    return { open: () => sqliteLimiter(path, now), now, elapse };
  },
  ...(noRedis === null && {
    redis: async () => {
      const { url, ...rest } = await redisDatabase();
      return { open: () => redisLimiter(url, silent), now: Date.now, ...rest };
    },
  }),
} satisfies Record<string, () => Promise<LimiterPlace>>;

/** `where` tells another process how to open the same place. */
type JobsPlace = Place<Jobs> & { readonly where: string };

export const jobs = {
  sqlite: async () => {
    const where = inFile('jobs.db');
    return { open: () => sqliteJobs(where), where };
  },
  ...(noRedis === null && {
    bullmq: async () => {
      const { url, end } = await redisDatabase();
      return { open: () => bullJobs(url, silent), where: url, end };
    },
  }),
} satisfies Record<string, () => Promise<JobsPlace>>;

/** What the run ends with: each port, what it ran on and what it did not run on. */
for (const line of [
  `event store: SQLite; EventStoreDB over its wire (a gRPC double)${EVENTSTORE_URL ? ' and the server at EVENTSTORE_URL' : '; not on a server: EVENTSTORE_URL is not set'}`,
  `read models, vault, process state and pending transactions: SQLite; MongoDB ${MONGODB_URL ? 'on the server at MONGODB_URL' : 'over its wire (a double); not on a server: MONGODB_URL is not set'}`,
  `limiter and jobs: SQLite; ${noRedis === null ? `Redis on ${redisKind}` : `not on Redis: ${noRedis}`}`,
])
  report(line);
