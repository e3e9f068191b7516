import { join } from 'node:path';
import type { Log } from '../../application/ports/system.js';
import { projections } from '../../projections/index.js';
import type { Config } from '../config.js';
import { deadlinesWithin } from '../deadlines.js';
import { openLazily } from '../gateway-nodes/final-answers/open-lazily.js';

/** Returns functions that open the embedded stores, each in a file that all processes on this machine share. */
export const embeddedStores = (config: Config, log: Log, isWorker: boolean) => {
  const { dataDirectory, accessLogMs, gatewayCacheBytes, memory, requestTimeoutMs } = config;
  const file = (name: string) => join(dataDirectory, name);
  const deadlines = deadlinesWithin(requestTimeoutMs);
  // Modules are imported on demand, because SQLite is not needed where database servers are configured.
  return {
    events: async () => {
      const { sqliteEventStore } = await import('./events/event-store.js');
      return sqliteEventStore(file('events.db'), 'write', deadlines, memory.eventPages);
    },
    readModels: async () => {
      const { selfHealingReadModels } = await import('./read-models/self-healing-read-models.js');
      return selfHealingReadModels(file('read-models.db'), projections, log, memory.documentPages);
    },
    state: async () => (await import('./state.js')).sqliteState(file('state.db'), 'write', deadlines),
    pending: async () => (await import('./pending.js')).sqlitePending(file('pending.db'), deadlines),
    jobs: async () => (await import('./jobs/jobs.js')).sqliteJobs(file('jobs.db')),
    limiter: async () =>
      (await import('./limiter/limiter.js')).sqliteLimiter(file('limiter.db'), Date.now, deadlines, isWorker),
    finalAnswers: async () =>
      openLazily(async () => {
        const { sqliteFinalAnswers } = await import('./final-answers/final-answers.js');
        return sqliteFinalAnswers(file('gateway-cache.db'), gatewayCacheBytes);
      }),
    refusedRequests: async () => {
      const { sqliteRefusedRequests } = await import('./refused-requests.js');
      return sqliteRefusedRequests(file('refused.db'), deadlines);
    },
    accessLog: async () => {
      const { sqliteAccessLog } = await import('./access-log.js');
      return sqliteAccessLog(file('refused.db'), accessLogMs, deadlines);
    },
  };
};
