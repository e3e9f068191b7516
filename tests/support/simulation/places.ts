import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyCollection } from '../../../projections/define.js';
import { createDocuments, simulatedReadModels } from './documents.js';
import { createEventLog, simulatedEventStore } from './event-log.js';
import type { Gate } from './gate.js';
import { createJobTable, simulatedJobs, simulatedLeaseMs } from './jobs.js';
import { createLimiterRecords, simulatedLimiter } from './limiter.js';
import { type PendingPool, simulatedPending } from './pending.js';
import { type StateEntries, simulatedState } from './state.js';

/** Makes a gate without delays and faults, through which the contract suites reach the simulated stores. */
const gateAt = (now: () => number): Gate => ({
  call: async (_, effect) => effect(),
  now,
  sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }).catch(() => undefined),
});
const gate = gateAt(Date.now);

let made = 0;

/** Functions that make the storage of simulated stores, for the contract suites of their ports. */
export const simulated = {
  events: async () => {
    const log = createEventLog();
    return { open: async () => simulatedEventStore(log, gate) };
  },
  readModels: async (collections: readonly AnyCollection[]) => {
    const documents = createDocuments();
    return { open: async (others = collections) => simulatedReadModels(documents, gate, others) };
  },
  state: async () => {
    const entries: StateEntries = new Map();
    return { open: async () => simulatedState(entries, gate) };
  },
  pending: async () => {
    const pool: PendingPool = new Map();
    return { open: async () => simulatedPending(pool, gate) };
  },
  limiter: async () => {
    let ahead = 0;
    const now = () => Date.now() + ahead;
    const elapse = async (ms: number) => {
      ahead += ms;
    };
    const records = createLimiterRecords();
    return { open: async () => simulatedLimiter(records, gateAt(now), () => `seed-${made++}`), now, elapse };
  },
  jobs: async () => {
    const table = createJobTable();
    const open = async (leaseMs?: number) => simulatedJobs(table, gate, `worker-${made++}`, leaseMs);
    return { open, where: null, usualLeaseMs: simulatedLeaseMs };
  },
};
