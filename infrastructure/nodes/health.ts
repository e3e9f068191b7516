import { createBackoff } from '../../application/async/backoff.js';
import type { Log } from '../../application/ports/system.js';
import type { NodeFault } from './node-fault.js';

const firstRestMs = 100;

type HealthOptions = {
  readonly name: string;
  /** User of the node, as the log names it. */
  readonly owner: 'chain' | 'gateway';
  readonly maxRestMs: number;
  readonly log: Log;
};

/** Records how one node did: whether it rests after a failure, and whether it was seen to serve the right chain. */
export const createHealth = ({ name, owner, maxRestMs, log }: HealthOptions) => {
  const backoff = createBackoff({ firstMs: firstRestMs, maxMs: maxRestMs });
  let restsSince = 0;
  let restsUntil = 0;
  let fault: NodeFault | null = null;
  let isVetted = false;

  const restLeft = () => Math.max(restsUntil - performance.now(), 0);

  return {
    name,
    /** Tells whether the node was seen to serve the same chain as the others since it last failed. */
    isVetted: () => isVetted,
    vouch: () => {
      isVetted = true;
    },
    /** Notes that another node may answer in the place of this one, as after a connection was lost. */
    doubt: () => {
      isVetted = false;
    },
    isUp: () => fault === null,
    lastFault: () => fault,
    /** Milliseconds until the node is to be asked again. */
    restLeft,
    isResting: () => restLeft() > 0,
    /** Tells whether the node failed so few times in a row that it may well answer in a moment. */
    isBrieflyAway: () => backoff.upcoming() <= firstRestMs * 8,
    recover: () => {
      if (fault) log.info({ node: name }, `the node of the ${owner} answers again`);
      fault = null;
      backoff.reset();
      restsUntil = 0;
    },
    /** Puts the node aside, longer with every failure in a row, because of work that began at `startedAt`. */
    rest: (reason: NodeFault, startedAt = performance.now()) => {
      // Work that was under way together fails together, and counts as one failure.
      if (startedAt < restsSince) return;
      if (!fault) log.warn({ node: name, reason: reason.message }, `a node of the ${owner} is put aside`);
      fault = reason;
      // A node that fails may come back as another one; one that is only busy is still the same.
      if (reason.kind !== 'busy') isVetted = false;
      restsSince = performance.now();
      restsUntil = restsSince + Math.max(backoff.next(), reason.restMs);
    },
  };
};

export type Health = ReturnType<typeof createHealth>;
