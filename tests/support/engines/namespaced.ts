import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { mongoPending } from '../../../infrastructure/mongodb/pending.js';
import { mongoReadModels } from '../../../infrastructure/mongodb/read-models.js';
import { mongoState } from '../../../infrastructure/mongodb/state.js';
import { redisAnnouncedHeads } from '../../../infrastructure/redis/announced-heads.js';
import { redisFinalAnswers } from '../../../infrastructure/redis/final-answers.js';
import { bullJobs } from '../../../infrastructure/redis/jobs.js';
import { redisLimiter } from '../../../infrastructure/redis/limiter.js';
import type { AnyCollection } from '../../../projections/define.js';
import { startEventStoreDouble } from '../eventstoredb-double/server.js';
import { startMongoDouble } from '../mongodb-double/server.js';
import { freshNamespace, given } from '../run/servers.js';
import { silent } from '../silent.js';
import { redisAnswerMs, redisDatabase } from './redis.js';

const aggregates = ['thing'];
const nothing = async () => undefined;

/**
 * Creates a function that returns the namespace of a place, which is one of three stores on the same server. The third
 * place has no namespace (an empty name), except on a shared server, where tests may write only to namespaces of their
 * run.
 */
const namespacesOn = (isShared: boolean) => {
  const own = freshNamespace();
  // The second namespace is a prefix of the first, so that a test fails if keys have no separator after the namespace.
  const names = [own, own.slice(0, -1), isShared ? freshNamespace() : ''];
  return (place: number) => names[place] ?? '';
};

const eventStores = (url: string, isShared: boolean, end: () => Promise<void>) => {
  const name = namespacesOn(isShared);
  return { events: (place: number) => eventStoreDb(url, aggregates, name(place)), end };
};

export const eventStoreServers = {
  'eventstoredb over its wire': async () => {
    const { url, close } = await startEventStoreDouble({ batchAppend: true });
    return eventStores(url, false, close);
  },
  ...(given.eventStore && { eventstoredb: async () => eventStores(given.eventStore ?? '', true, nothing) }),
};

export const mongoServer = async () => {
  const double = given.mongo ? undefined : await startMongoDouble();
  const url = double?.url ?? given.mongo ?? '';
  const name = namespacesOn(!double);
  return {
    readModels: (collections: readonly AnyCollection[], place: number) =>
      mongoReadModels(url, collections, { namespace: name(place) }),
    state: (place: number) => mongoState(url, name(place)),
    pending: (place: number) => mongoPending(url, name(place)),
    end: double?.close ?? nothing,
  };
};

export const redisServer = async () => {
  const { url, end } = await redisDatabase();
  const name = namespacesOn(given.redis !== undefined);
  return {
    limiter: (place: number) => redisLimiter(url, silent, name(place), { deadlineMs: redisAnswerMs }),
    jobs: (place: number) => bullJobs(url, silent, name(place), { leaseMs: redisAnswerMs, timeoutMs: redisAnswerMs }),
    answers: (place: number) => redisFinalAnswers(url, 64_000, silent, name(place), redisAnswerMs),
    heads: (place: number) => redisAnnouncedHeads(url, silent, name(place), redisAnswerMs),
    end,
  };
};
