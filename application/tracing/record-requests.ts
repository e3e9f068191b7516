import type { System } from '../ports/system.js';
import type { AccessLog } from '../ports/tracing/access-log.js';
import {
  type AnsweredRequest,
  type RefusedRequest,
  type RefusedRequests,
  type RequestLog,
  refusalBounds,
} from '../ports/tracing/requests.js';
import { refusedAccesses } from './accesses.js';
import { loggableDetail } from './key-form.js';

/**
 * Interval in milliseconds at which refusals are stored. A process that is killed loses the refusals of one interval.
 */
const storeIntervalMs = 250;

export type RequestRecorder = {
  /**
   * Counts a successful request and returns whether the request is to be logged. Callers need to describe only
   * requests that are logged.
   */
  logsNext(): boolean;
  /** Logs a successful request for which `logsNext` returned true. */
  succeeded(request: AnsweredRequest): void;
  /** Logs a refused request and keeps it for `trace` and ListAccess. `source` is the network address of the caller. */
  refused(request: AnsweredRequest, source: string | undefined): void;
  /** Stores the refusals periodically until the signal fires, and then the remaining refusals. */
  run(signal: AbortSignal): Promise<void>;
};

/**
 * Number of groups for refusals of callers without an organization. Each network address is hashed to one of these
 * groups.
 */
const anonymousGroups = 64;

/**
 * Creates a buffer of refused requests that are not stored yet, at most as many as the store keeps (`refusalBounds`).
 */
const createUnstored = (sha256: System['sha256']) => {
  let groups = new Map<string, RefusedRequest[]>();
  const anonymous = (source = '') => `anonymous-${Number.parseInt(sha256(source).slice(0, 4), 16) % anonymousGroups}`;
  return {
    add: (request: RefusedRequest, source: string | undefined) => {
      const group = `${request.organizationId ?? anonymous(source)} ${request.code}`;
      const found = groups.get(group);
      if (!found) {
        if (groups.size < refusalBounds.groups) groups.set(group, [request]);
        return;
      }
      found.push(request);
      if (found.length > refusalBounds.perGroup) found.shift();
    },
    take: () => {
      const taken = [...groups].map(([group, requests]) => ({ group, requests }));
      groups = new Map();
      return taken;
    },
  };
};

/** Creates a recorder that writes the request log and stores refused requests. */
export const createRequestRecorder = (ports: {
  requestLog: RequestLog;
  refusedRequests: RefusedRequests;
  accessLog: AccessLog;
  system: System;
}): RequestRecorder => {
  const { requestLog, refusedRequests, accessLog, system } = ports;
  const { policy } = requestLog;
  const every = policy.kind === 'sampled' ? policy.every : Number(policy.kind === 'all');
  const unstored = createUnstored(system.sha256);
  let count = 0;
  let isFailing = false;

  const store = async () => {
    const refused = unstored.take();
    if (refused.length === 0) return;
    try {
      const accesses = refusedAccesses(refused);
      await Promise.all([refusedRequests.add(refused), accesses.length > 0 && accessLog.add(accesses)]);
      isFailing = false;
    } catch (error) {
      // Logged once per outage, because refusals may be frequent while a store is down.
      if (!isFailing)
        system.log.warn({ err: error }, 'Refused requests could not be stored for chainfold trace and ListAccess');
      isFailing = true;
    }
  };

  return {
    logsNext: () => every > 0 && count++ % every === 0,
    succeeded: (request) => requestLog.write(request, 'Request answered'),
    refused: (request, source) => {
      const detail = request.detail === undefined ? undefined : loggableDetail(request.detail);
      const refused: RefusedRequest = { ...request, detail, time: system.now() };
      if (policy.kind !== 'off') requestLog.write({ ...request, detail }, 'Request refused');
      unstored.add(refused, source);
    },
    run: async (signal) => {
      while (!signal.aborted) {
        await system.sleep(storeIntervalMs, signal);
        await store();
      }
    },
  };
};
