import { createBackoff } from '../../application/async/backoff.js';
import type { Waiter } from '../../application/async/cancellation.js';
import type { Head } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { NodeFault } from '../chains/nodes/node-fault.js';
import type { Envelope } from './envelope.js';
import { httpLink } from './http-link.js';
import type { Link } from './link.js';
import { socketLink } from './socket-link.js';

const restsMs = { firstMs: 100, longestMs: 10_000 };
/** So many answers in a row that others gave sooner are as bad as one that never came. */
const mostStumbles = 3;
const weight = 0.2;

const asFault = (error: unknown) => (error instanceof NodeFault ? error : new NodeFault('failing', String(error)));

const isSocket = ({ protocol }: URL) => protocol.startsWith('ws');

/** One node: the ways to it, how it is, and how far it has come. */
export const createMember = (urls: readonly URL[], log: Log) => {
  const links = urls.map((url) => ({ url, link: (isSocket(url) ? socketLink : httpLink)(url) }));
  const listening = links.find(({ url }) => isSocket(url))?.link;
  // HTTP answers calls at less cost; the socket tells of heads.
  const calling = (links.find(({ url }) => !isSocket(url)) ?? links[0])?.link as Link;
  const name = urls[0]?.host ?? '';
  let head: Head | null = null;
  let latencyMs = 0;
  const backoff = createBackoff(restsMs);
  let restsUntil = 0;
  let restsSince = 0;
  let stumbles = 0;
  let isDown = false;
  let isVetted = false;

  const rest = (fault: NodeFault) => {
    if (!isDown) log.warn({ node: name, reason: fault.message }, 'a node of the gateway is put aside');
    isDown = true;
    restsSince = performance.now();
    restsUntil = restsSince + Math.max(backoff.next(), fault.restMs);
    if (fault.kind !== 'busy') isVetted = false;
  };
  const recover = (tookMs: number) => {
    latencyMs = latencyMs === 0 ? tookMs : latencyMs + (tookMs - latencyMs) * weight;
    if (isDown) log.info({ node: name }, 'the node of the gateway answers again');
    isDown = false;
    stumbles = 0;
    backoff.reset();
    restsUntil = 0;
  };

  return {
    name,
    listen: listening?.listen,
    head: () => head,
    see: (seen: Head) => {
      head = seen;
    },
    latencyMs: () => latencyMs,
    isResting: () => restsUntil > performance.now(),
    isUp: () => !isDown,
    isVetted: () => isVetted,
    vouch: () => {
      isVetted = true;
    },
    rest,
    /** What was asked of it was answered by another, sooner. */
    stumble: () => {
      stumbles++;
      if (stumbles >= mostStumbles) rest(new NodeFault('failing', 'is slower than the others'));
    },
    /** Keeps in mind how the node did; an error object is an answer. */
    exchange: async (method: string, params: string, waiter: Waiter, bundle?: symbol): Promise<Envelope> => {
      const startedAt = performance.now();
      try {
        const envelope = await calling.exchange(method, params, waiter, bundle);
        recover(performance.now() - startedAt);
        return envelope;
      } catch (error) {
        const fault = asFault(error);
        // What was let go of is no failure, and calls that were under way together fail together.
        if (!waiter.hasLeft() && startedAt >= restsSince) rest(fault);
        throw fault;
      }
    },
    close: async () => {
      await Promise.all(links.map(({ link }) => link.close()));
    },
  };
};

export type Member = ReturnType<typeof createMember>;
