import type { Cancellation } from '../../application/async/cancellation.js';
import type { Head } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { createHealth } from '../nodes/health.js';
import type { Envelope } from '../nodes/json-rpc/envelope.js';
import { NodeFault, toFailing } from '../nodes/node-fault.js';
import { httpLink, type Link, socketLink } from './link.js';
import { createAbilities } from './routing/abilities.js';
import { createNodeUnits, unlimited } from './units/node-units.js';

const maxRestMs = 10_000;
const unknownHeight = -1;
/** Number of answers in a row that other nodes gave sooner after which a slow node is put aside like one that failed. */
const maxStumbles = 3;
/** Share of the newest answer in the average latency. */
const weight = 0.2;

const isSocket = ({ protocol }: URL) => protocol.startsWith('ws');
/** Makes a link to a node, which calls `ended` whenever a connection ends that it kept. */
export const usualLink = (url: URL, ended: () => void): Link =>
  isSocket(url) ? socketLink(url, ended) : httpLink(url);

/** Remembers what a node told of its head, and whether it serves another chain. */
const createHeads = (node: string, log: Log) => {
  let head: Head | null = null;
  let height = unknownHeight;
  let isForeign = false;
  const forget = () => {
    head = null;
    height = unknownHeight;
  };
  return {
    /** Tells whether the node was seen to serve another chain; such a node is neither asked nor sent to. */
    isForeign: () => isForeign,
    setForeign: (isOther: boolean) => {
      if (isOther === isForeign) return;
      if (isOther) log.warn({ node }, 'a node of the gateway serves another chain');
      else log.info({ node }, 'a node of the gateway serves the chain again');
      forget();
      isForeign = isOther;
    },
    head: () => head,
    see: (seen: Head) => {
      if (isForeign) return;
      head = seen;
      height = seen.number;
    },
    /** Returns the height of the newest head that the node told of, also in answers to callers; -1 for none. */
    height: () => height,
    seeHeight: (seen: number) => {
      height = seen;
    },
    /** Forgets the head, after the chain became another one. */
    forget,
  };
};

export type MemberOptions = {
  readonly linkTo?: typeof usualLink;
  /** Units of calls that the node is asked for in a second; undefined for any number. */
  readonly unitsPerSecond?: number | undefined;
};

/** Adds to a node's health the links to it, its latency and its head. */
export const createMember = (
  urls: readonly URL[],
  log: Log,
  { linkTo = usualLink, unitsPerSecond }: MemberOptions = {},
) => {
  const links = urls.map((url) => ({ url, link: linkTo(url, () => health.doubt()) }));
  const listening = links.find(({ url }) => isSocket(url))?.link;
  // Calls cost less over HTTP; the socket is for subscriptions.
  const calling = (links.find(({ url }) => !isSocket(url)) ?? links[0])?.link as Link;
  const health = createHealth({ name: urls[0]?.host ?? '', owner: 'gateway', maxRestMs, log });
  const heads = createHeads(health.name, log);
  const units = unitsPerSecond === undefined ? unlimited : createNodeUnits(unitsPerSecond);
  let latencyMs = 0;
  let stumbles = 0;
  let stumbledAt = 0;

  const recover = (tookMs: number) => {
    latencyMs = latencyMs === 0 ? tookMs : latencyMs + (tookMs - latencyMs) * weight;
    stumbles = 0;
    health.recover();
  };
  const rest = (fault: NodeFault, startedAt?: number) => {
    // A node that comes back may have lost blocks.
    if (fault.kind !== 'busy') heads.seeHeight(unknownHeight);
    health.rest(fault, startedAt);
  };

  return {
    ...health,
    rest,
    units,
    abilities: createAbilities(),
    listen: listening?.listen,
    ...heads,
    isUp: () => health.isUp() && !heads.isForeign(),
    isResting: () => heads.isForeign() || health.isResting(),
    latencyMs: () => latencyMs,
    /** Notes that another node, which was asked later, answered a question of `askedAt` sooner. */
    stumble: (askedAt: number) => {
      // Questions that were under way together are late together.
      if (askedAt < stumbledAt) return;
      stumbledAt = performance.now();
      if (++stumbles < maxStumbles) return;
      stumbles = 0;
      rest(new NodeFault('failing', 'is slower than the others'));
    },
    /**
     * Asks the node and notes how it did; an error object is an answer. `cost` is charged to the node's units, which are
     * unlimited unless they are set.
     */
    exchange: async (
      method: string,
      params: string,
      cancellation: Cancellation,
      bundle?: symbol,
      cost = 1,
    ): Promise<Envelope> => {
      units.spend(cost);
      const startedAt = performance.now();
      try {
        const envelope = await calling.exchange(method, params, cancellation, bundle);
        recover(performance.now() - startedAt);
        return envelope;
      } catch (error) {
        const fault = toFailing(error);
        // A question that was given up, or that asked for too much, says nothing about the node.
        if (!cancellation.isCancelled() && fault.kind !== 'oversized') rest(fault, startedAt);
        throw fault;
      }
    },
    close: async () => {
      await Promise.all(links.map(({ link }) => link.close()));
    },
  };
};

export type Member = ReturnType<typeof createMember>;
