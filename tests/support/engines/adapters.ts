import { join } from 'node:path';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { FinalAnswers } from '../../../application/ports/gateway/final-answers.js';
import type { RebuildableReadModels } from '../../../application/ports/generations.js';
import type { Jobs } from '../../../application/ports/jobs.js';
import type { Limiter } from '../../../application/ports/limiter.js';
import type { PendingTransactions } from '../../../application/ports/pending.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import type { StateStore } from '../../../application/ports/state.js';
import type { AccessLog } from '../../../application/ports/tracing/access-log.js';
import type { RefusedRequests } from '../../../application/ports/tracing/requests.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { memoryReadModels } from '../../../infrastructure/memory/read-models.js';
import { mongoPending } from '../../../infrastructure/mongodb/pending.js';
import { mongoReadModels } from '../../../infrastructure/mongodb/read-models.js';
import { mongoState } from '../../../infrastructure/mongodb/state.js';
import { redisAccessLog } from '../../../infrastructure/redis/access-log.js';
import { defaultLeaseMs as bullLeaseMs } from '../../../infrastructure/redis/bullmq-worker.js';
import { redisFinalAnswers } from '../../../infrastructure/redis/final-answers.js';
import { bullJobs } from '../../../infrastructure/redis/jobs.js';
import { redisLimiter } from '../../../infrastructure/redis/limiter.js';
import { redisRefusedRequests } from '../../../infrastructure/redis/refused-requests.js';
import { sqliteAccessLog } from '../../../infrastructure/sqlite/access-log.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { sqliteFinalAnswers } from '../../../infrastructure/sqlite/final-answers/final-answers.js';
import { sqliteJobs } from '../../../infrastructure/sqlite/jobs/jobs.js';
import { defaultLeaseMs as sqliteLeaseMs } from '../../../infrastructure/sqlite/jobs/leases.js';
import { sqliteLimiter } from '../../../infrastructure/sqlite/limiter/limiter.js';
import { sqlitePending } from '../../../infrastructure/sqlite/pending.js';
import { selfHealingReadModels } from '../../../infrastructure/sqlite/read-models/self-healing-read-models.js';
import { sqliteRefusedRequests } from '../../../infrastructure/sqlite/refused-requests.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import type { AnyCollection } from '../../../projections/define.js';
import { startMongoDouble } from '../mongodb-double/server.js';
import { freshDirectory } from '../run/directories.js';
import { report } from '../run/report.js';
import { freshNamespace, given } from '../run/servers.js';
import { silent } from '../silent.js';
import { simulated } from '../simulation/places.js';
import type { Place } from './places.js';
import { noRedis, redisAnswerMs, redisDatabase, redisKind } from './redis.js';

const aggregates = ['thing'];
const inFile = (name: string) => join(freshDirectory(), name);

/** Imports the double only when it is used, because its protobuf messages clash with those of the KurrentDB client. */
const eventStoreOverWire = async (): Promise<Place<EventStore>> => {
  const { startEventStoreDouble } = await import('../eventstoredb-double/server.js');
  const double = await startEventStoreDouble();
  return { open: () => eventStoreDb(double.url, aggregates), end: double.close };
};

/** Starts a double, or uses a fresh namespace on the server at MONGODB_URL if that is set. */
const mongoPlace = async () => {
  if (given.mongo) return { url: given.mongo, namespace: freshNamespace() };
  const double = await startMongoDouble();
  return { url: double.url, namespace: '', end: double.close };
};

const eventStoreServer = async (url: string): Promise<Place<EventStore>> => {
  const namespace = freshNamespace();
  return { open: async () => eventStoreDb(url, aggregates, namespace) };
};

/**
 * Adapters of the event store, keyed by name. Each port has a table of this kind, and its contract suite runs on all
 * adapters in the table.
 */
export const eventStores = {
  sqlite: async () => {
    const path = inFile('events.db');
    return { open: () => sqliteEventStore(path) };
  },
  'eventstoredb over its wire': eventStoreOverWire,
  'a simulation': simulated.events,
  ...(given.eventStore && { eventstoredb: () => eventStoreServer(given.eventStore ?? '') }),
} satisfies Record<string, () => Promise<Place<EventStore>>>;

/**
 * Storage of read models for one test. `open` can be given the collections that another version of the software
 * declares.
 */
type ModelsPlace = {
  open(collections?: readonly AnyCollection[]): Promise<RebuildableReadModels>;
  end?(): Promise<void>;
};

export const rebuildableReadModels = {
  sqlite: async (collections: readonly AnyCollection[]) => {
    const path = inFile('read-models.db');
    return { open: (others = collections) => selfHealingReadModels(path, others, silent) };
  },
  mongodb: async (collections: readonly AnyCollection[]) => {
    const { url, namespace, ...rest } = await mongoPlace();
    return { open: (others = collections) => mongoReadModels(url, others, { namespace }), ...rest };
  },
  'a simulation': simulated.readModels,
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
    const { url, namespace, ...rest } = await mongoPlace();
    return { open: () => mongoState(url, namespace), ...rest };
  },
  'a simulation': simulated.state,
} satisfies Record<string, () => Promise<Place<StateStore>>>;

export const pendingStores = {
  sqlite: async () => {
    const path = inFile('pending.db');
    return { open: () => sqlitePending(path) };
  },
  mongodb: async () => {
    const { url, namespace, ...rest } = await mongoPlace();
    return { open: () => mongoPending(url, namespace), ...rest };
  },
  'a simulation': simulated.pending,
} satisfies Record<string, () => Promise<Place<PendingTransactions>>>;

type LimiterPlace = Place<Limiter> & { now(): number; elapse(ms: number): Promise<void> };

const sqliteLimiterPlace = async (isWorker: boolean) => {
  const path = inFile('limiter.db');
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const elapse = async (ms: number) => {
    ahead += ms;
  };
  return { open: () => sqliteLimiter(path, now, undefined, isWorker), now, elapse };
};

export const limiters = {
  sqlite: () => sqliteLimiterPlace(false),
  'sqlite for workers': () => sqliteLimiterPlace(true),
  'a simulation': simulated.limiter,
  ...(noRedis === null && {
    redis: async () => {
      const { url, namespace, ...rest } = await redisDatabase();
      return {
        open: () => redisLimiter(url, silent, namespace, { deadlineMs: redisAnswerMs }),
        now: Date.now,
        ...rest,
      };
    },
  }),
} satisfies Record<string, () => Promise<LimiterPlace>>;

/** Lease in ms that is longer than any stall of a process, for tests in which no worker dies. */
const endlessMs = 600_000;

/** Storage of a job queue for one test. `where` is the argument with which another process opens the same queue. */
type JobsPlace = {
  open(leaseMs?: number): Promise<Jobs>;
  end?(): Promise<void>;
  readonly where: string;
  readonly usualLeaseMs: number;
};

export const jobs = {
  sqlite: async () => {
    const where = inFile('jobs.db');
    return { open: (leaseMs = endlessMs) => sqliteJobs(where, leaseMs), where, usualLeaseMs: sqliteLeaseMs };
  },
  ...(noRedis === null && {
    bullmq: async () => {
      const { url, namespace, end } = await redisDatabase();
      const open = (leaseMs = endlessMs) => bullJobs(url, silent, namespace, { leaseMs, timeoutMs: redisAnswerMs });
      return { open, where: `${url}#${namespace}`, usualLeaseMs: bullLeaseMs, end };
    },
  }),
} satisfies Record<string, () => Promise<JobsPlace>>;

/** Maximum size in bytes of each cache of final answers in the contract suite. */
export const maxAnswerBytes = 64_000;

export const finalAnswers = {
  sqlite: async () => {
    const path = inFile('gateway-cache.db');
    return { open: () => sqliteFinalAnswers(path, maxAnswerBytes) };
  },
  ...(noRedis === null && {
    redis: async () => {
      const { url, namespace, end } = await redisDatabase();
      return { open: () => redisFinalAnswers(url, maxAnswerBytes, silent, namespace, redisAnswerMs), end };
    },
  }),
} satisfies Record<string, () => Promise<Place<FinalAnswers>>>;

export const refusedRequests = {
  sqlite: async () => {
    const path = inFile('refused.db');
    return { open: async () => sqliteRefusedRequests(path) };
  },
  ...(noRedis === null && {
    redis: async () => {
      const { url, namespace, end } = await redisDatabase();
      return { open: async () => redisRefusedRequests(url, silent, namespace, redisAnswerMs), end };
    },
  }),
} satisfies Record<string, () => Promise<Place<RefusedRequests>>>;

export const accessRetentionMs = 90 * 86_400_000;
export const accessLogs = {
  sqlite: async () => {
    const path = inFile('refused.db');
    return { open: async () => sqliteAccessLog(path, accessRetentionMs) };
  },
  ...(noRedis === null && {
    redis: async () => {
      const { url, namespace, end } = await redisDatabase();
      return { open: async () => redisAccessLog(url, accessRetentionMs, silent, namespace, redisAnswerMs), end };
    },
  }),
} satisfies Record<string, () => Promise<Place<AccessLog>>>;

/** Reports, at the end of the run, on which engines the tests of each port ran and on which they did not. */
for (const line of [
  `event store: SQLite; EventStoreDB over its wire (a gRPC double)${given.eventStore ? ' and the server at EVENTSTORE_URL' : '; not on a server: EVENTSTORE_URL is not set'}`,
  `read models, vault, process state and pending transactions: SQLite; MongoDB ${given.mongo ? 'on the server at MONGODB_URL' : 'over its wire (a double); not on a server: MONGODB_URL is not set'}`,
  `limiter, jobs, final answers, refused requests and access log: SQLite; ${noRedis === null ? `Redis on ${redisKind}` : `not on Redis: ${noRedis}`}`,
])
  report(line);
