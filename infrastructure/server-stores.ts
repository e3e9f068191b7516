import type { Log } from '../application/ports/system.js';
import { aggregates } from '../domain/aggregates.js';
import { projections } from '../projections/index.js';
import type { Config } from './config.js';
import { deadlinesWithin } from './deadlines.js';
import { openLazily } from './gateway-nodes/final-answers/open-lazily.js';

/**
 * Returns functions that open the stores on servers. Client libraries are imported on demand, because few deployments
 * use all of them.
 */
export const serverStores = (config: Config, log: Log) => {
  const { namespace, gatewayCacheBytes, accessLogMs, requestTimeoutMs } = config;
  const deadlines = deadlinesWithin(requestTimeoutMs);
  return {
    events: async (url: string) =>
      (await import('./eventstoredb/event-store.js')).eventStoreDb(url, aggregates, namespace, deadlines),
    readModels: async (url: string) =>
      (await import('./mongodb/read-models.js')).mongoReadModels(url, projections, { namespace, deadlines }),
    state: async (url: string) => (await import('./mongodb/state.js')).mongoState(url, namespace, deadlines),
    pending: async (url: string) => (await import('./mongodb/pending.js')).mongoPending(url, namespace, deadlines),
    jobs: async (url: string) => (await import('./redis/jobs.js')).bullJobs(url, log, namespace),
    limiter: async (url: string) => (await import('./redis/limiter.js')).redisLimiter(url, log, namespace, deadlines),
    finalAnswers: async (url: string) =>
      openLazily(async () =>
        (await import('./redis/final-answers.js')).redisFinalAnswers(url, gatewayCacheBytes, log, namespace),
      ),
    refusedRequests: async (url: string) =>
      (await import('./redis/refused-requests.js')).redisRefusedRequests(url, log, namespace),
    accessLog: async (url: string) =>
      (await import('./redis/access-log.js')).redisAccessLog(url, accessLogMs, log, namespace),
  };
};
