import type { Cancellation } from '../../application/async/cancellation.js';
import type { Head } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { createHealth } from '../nodes/health.js';
import type { TimedHeight } from '../nodes/impossible-head.js';
import type { Envelope } from '../nodes/json-rpc/envelope.js';
import { NodeFault, toFailing } from '../nodes/node-fault.js';
import { httpLink, type Link, socketLink } from './link.js';
import { createAbilities } from './routing/abilities.js';
import { createNodeUnits, unlimited } from './units/node-units.js';

/** Head with the time of its block. */
export type TimedHead = Head & TimedHeight;

const maxRestMs = 10_000;
const unknownHeight = -1;
/** Number of consecutive times that other nodes answered faster, after which a node is put into cooldown. */
const maxSlowAnswers = 3;
/** Weight of the newest latency in the moving average. */
const weight = 0.2;

const isSocket = ({ protocol }: URL) => protocol.startsWith('ws');
/** Opens a link to a node. Calls `ended` whenever a persistent connection ends. */
export const defaultLink = (url: URL, ended: () => void): Link =>
  isSocket(url) ? socketLink(url, ended) : httpLink(url);

/**
 * Creates a tracker for a node's head: its height, whether the chain can have reached it, and whether the node serves
 * another chain.
 */
const createHeads = (node: string, log: Log) => {
  let reported: TimedHead | null = null;
  let height = unknownHeight;
  let isForeign = false;
  let isImpossible = false;
  const forget = () => {
    reported = null;
    height = unknownHeight;
    isImpossible = false;
  };
  return {
    /**
     * Returns whether the node serves another chain. A node of another chain receives neither requests nor
     * transactions.
     */
    isForeign: () => isForeign,
    setForeign: (isOther: boolean) => {
      if (isOther === isForeign) return;
      if (isOther) log.warn({ node }, 'Gateway node serves another chain; not using it');
      else log.info({ node }, 'Gateway node serves the expected chain again');
      forget();
      isForeign = isOther;
    },
    /** Returns the newest head that the node reported in a poll, even if that head is impossible. */
    reportedHead: () => reported,
    /** Returns the newest head that the node reported in a poll; null when the head is unknown or impossible. */
    head: () => (isImpossible ? null : reported),
    setHead: (seen: TimedHead) => {
      if (isForeign) return;
      reported = seen;
      height = seen.number;
    },
    /** Returns whether the head of the node is one that the chain cannot have reached. */
    hasImpossibleHead: () => isImpossible,
    setImpossible: (isNow: boolean) => {
      if (isNow) height = unknownHeight;
      if (isNow === isImpossible) return;
      const { number } = reported ?? {};
      if (isNow) log.warn({ node, number }, 'Gateway node reports a head that its chain cannot have reached; ignored');
      else log.info({ node, number }, 'Gateway node reports a possible head again');
      isImpossible = isNow;
    },
    /** Returns the newest height that the node reported in a poll or in an answer to a caller; -1 when unknown. */
    height: () => height,
    setHeight: (seen: number) => {
      height = seen;
    },
    /** Resets the head after the nodes switched to another chain. */
    forget,
  };
};

export type MemberOptions = {
  readonly linkTo?: typeof defaultLink;
  /**
   * Maximum number of call units per second for this node; undefined for no limit. A call costs as many units as its
   * caller is charged.
   */
  readonly unitsPerSecond?: number | undefined;
};

/** Creates a node of a pool with its health, links, latency, head, supported methods and call units. */
export const createMember = (
  urls: readonly URL[],
  log: Log,
  { linkTo = defaultLink, unitsPerSecond }: MemberOptions = {},
) => {
  const links = urls.map((url) => ({ url, link: linkTo(url, () => health.doubt()) }));
  const listening = links.find(({ url }) => isSocket(url))?.link;
  // HTTP is cheaper for calls. The WebSocket is used for subscriptions, and for calls when it is the only link.
  const calling = (links.find(({ url }) => !isSocket(url)) ?? links[0])?.link as Link;
  const health = createHealth({ name: urls[0]?.host ?? '', owner: 'gateway', maxRestMs, log });
  const heads = createHeads(health.name, log);
  const units = unitsPerSecond === undefined ? unlimited : createNodeUnits(unitsPerSecond);
  let latencyMs = 0;
  let slowAnswers = 0;
  let slowAt = 0;

  const recover = (tookMs: number) => {
    latencyMs = latencyMs === 0 ? tookMs : latencyMs + (tookMs - latencyMs) * weight;
    slowAnswers = 0;
    health.recover();
  };
  const rest = (fault: NodeFault, startedAt?: number) => {
    // A node that failed may have restarted and lost blocks, so its height counts as unknown.
    if (fault.kind !== 'busy') heads.setHeight(unknownHeight);
    health.rest(fault, startedAt);
  };

  return {
    ...health,
    rest,
    units,
    abilities: createAbilities(),
    listen: listening?.listen,
    ...heads,
    isUp: () => health.isUp() && !heads.isForeign() && !heads.hasImpossibleHead(),
    isResting: () => heads.isForeign() || health.isResting(),
    latencyMs: () => latencyMs,
    /**
     * Records a slow answer: a node that was asked later than this one answered first. `askedAt` is the time of this
     * node's request.
     */
    noteSlowAnswer: (askedAt: number) => {
      // Slow answers to requests that were in flight at the same time count once, because they have one cause.
      if (askedAt < slowAt) return;
      slowAt = performance.now();
      if (++slowAnswers < maxSlowAnswers) return;
      slowAnswers = 0;
      rest(new NodeFault('failing', `answered later than other nodes ${maxSlowAnswers} times in a row`));
    },
    /**
     * Sends a call and updates the node's health and latency. A JSON-RPC error counts as an answer. Charges `cost` to
     * the node's units.
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
        // A cancelled request or an oversized answer says nothing about the node's health.
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
