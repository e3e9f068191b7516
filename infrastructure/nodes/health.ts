import { createBackoff } from '../../application/async/backoff.js';
import type { Log } from '../../application/ports/system.js';
import type { NodeFault } from './node-fault.js';

const firstRestMs = 100;

type HealthOptions = {
  readonly name: string;
  /** Component that uses the node, for log messages. */
  readonly owner: 'chain' | 'gateway';
  readonly maxRestMs: number;
  readonly log: Log;
};

/**
 * Creates a tracker for the health of one node: whether it is paused after a failure, and whether its chain has been
 * verified.
 */
export const createHealth = ({ name, owner, maxRestMs, log }: HealthOptions) => {
  const backoff = createBackoff({ firstMs: firstRestMs, maxMs: maxRestMs });
  let restsSince = 0;
  let restsUntil = 0;
  let fault: NodeFault | null = null;
  let isVetted = false;

  const label = owner === 'chain' ? 'Chain' : 'Gateway';
  const restLeft = () => Math.max(restsUntil - performance.now(), 0);

  return {
    name,
    /** Returns whether the node's chain was verified since its last failure. */
    isVetted: () => isVetted,
    vouch: () => {
      isVetted = true;
    },
    /** Requires the chain to be verified again, because another server may answer after a reconnection. */
    doubt: () => {
      isVetted = false;
    },
    isUp: () => fault === null,
    lastFault: () => fault,
    /** Milliseconds until the node may be queried again; 0 if it is not paused. */
    restLeft,
    isResting: () => restLeft() > 0,
    /** Returns whether the node has failed so few times in a row that its next pause is at most 800 ms. */
    isBrieflyAway: () => backoff.upcoming() <= firstRestMs * 8,
    recover: () => {
      if (fault) log.info({ node: name }, `${label} node recovered`);
      fault = null;
      backoff.reset();
      restsUntil = 0;
    },
    /**
     * Marks the node unhealthy and pauses it, longer after each consecutive failure. `startedAt` is the start of the
     * work.
     */
    rest: (reason: NodeFault, startedAt = performance.now()) => {
      // Concurrent requests that fail together count as one failure.
      if (startedAt < restsSince) return;
      if (!fault) log.warn({ node: name, reason: reason.message }, `${label} node marked unhealthy`);
      fault = reason;
      // Another server may answer at the same URL after a failure. A busy node is still the same server.
      if (reason.kind !== 'busy') isVetted = false;
      restsSince = performance.now();
      restsUntil = restsSince + Math.max(backoff.next(), reason.restMs);
    },
  };
};

export type Health = ReturnType<typeof createHealth>;
