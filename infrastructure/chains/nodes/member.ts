import { createBackoff } from '../../../application/async/backoff.js';
import type { Log } from '../../../application/ports/system.js';
import { type FaultKind, NodeFault } from './node-fault.js';

const pausesMs = { firstMs: 100, longestMs: 5000 };
const resting: readonly FaultKind[] = ['failing', 'busy', 'wrong'];

/** A configured node: what it is called in the log, and the way to it. */
export type Configured<Way> = { readonly name: string; readonly way: Way; redact(text: string): string };

/** One configured node and how it is. */
export const createMember = <Way>({ name, way, redact }: Configured<Way>, log: Log) => {
  const backoff = createBackoff(pausesMs);
  let restsSince = 0;
  let restsUntil = 0;
  let fault: NodeFault | null = null;
  /** Whether it was seen to serve the chain that the others serve; to be seen again after it was away. */
  let isVetted = false;

  const recover = () => {
    if (fault) log.info({ node: name }, 'the node of the chain answers again');
    fault = null;
    backoff.reset();
  };
  const rest = (reason: NodeFault, startedAt: number) => {
    // Work that was under way together fails together, and is one failure.
    if (fault && startedAt < restsSince) return;
    if (!fault) log.warn({ node: name, reason: reason.message }, 'a node of the chain is put aside');
    fault = reason;
    if (reason.kind === 'failing') isVetted = false;
    restsSince = performance.now();
    restsUntil = restsSince + Math.max(backoff.next(), reason.restMs);
  };

  return {
    name,
    way,
    isVetted: () => isVetted,
    vouch: () => {
      isVetted = true;
    },
    lastFault: () => fault,
    restLeft: () => Math.max(restsUntil - performance.now(), 0),
    /** True while it only stumbled: it may well answer in a moment. */
    isBrieflyAway: () => backoff.upcoming() <= pausesMs.firstMs * 8,
    /** Does the work and keeps in mind how the node did. */
    watch: async <T>(work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now();
      try {
        const done = await work();
        recover();
        return done;
      } catch (error) {
        if (!(error instanceof NodeFault)) throw error;
        const told = new NodeFault(error.kind, redact(error.message), error.restMs);
        if (resting.includes(told.kind)) rest(told, startedAt);
        throw told;
      }
    },
  };
};

export type Member<Way> = ReturnType<typeof createMember<Way>>;
