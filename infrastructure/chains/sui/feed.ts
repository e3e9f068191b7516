import { setTimeout as sleep } from 'node:timers/promises';
import type { Header } from '../../../application/ports/chain.js';
import { watchHeads } from '../../nodes/heads.js';
import { failInvalidAnswer } from '../../nodes/node-fault.js';
import { latestHeader } from './checkpoints.js';
import { chainIdOf, type Endpoint, faultOf, type Nodes } from './nodes.js';
import { blockPaths, type Checkpoint, headerOf } from './wire.js';

export type FeedTimes = {
  /** Silence of a subscription after which the nodes are asked for the head. */
  readonly freshMs: number;
  /** Time between two questions for the head while no subscription tells it. */
  readonly pollMs: number;
  /** Time for which a subscription may be behind a head that a node told, before it is opened again. */
  readonly behindMs: number;
  /** Silence after which a subscription counts as broken. */
  readonly silenceMs: number;
  /** Time after which a node without subscriptions is asked for one again. */
  readonly unsupportedMs: number;
};
export const usualTimes: FeedTimes = {
  freshMs: 2000,
  pollMs: 1000,
  behindMs: 3000,
  silenceMs: 30_000,
  unsupportedMs: 300_000,
};

type SeenHead = { readonly header: Header; readonly at: number };
/** Takes a checkpoint that a node sent by itself. */
type Take = (checkpoint: Checkpoint, header: Header, endpoint: Endpoint) => void;

const now = () => performance.now();
const higher = (one: Header, other: Header | undefined) => (other && other.number > one.number ? other : one);

/** Chooses the nodes for subscriptions in turn, without those that are known to have none. */
const createTurns = (endpoints: readonly Endpoint[], { unsupportedMs }: FeedTimes) => {
  const without = new Map<Endpoint, number>();
  let turn = 0;
  const waitOf = (endpoint: Endpoint) => Math.max(0, (without.get(endpoint) ?? 0) - now());
  return {
    next: async (signal: AbortSignal): Promise<Endpoint | undefined> => {
      const waitMs = Math.min(...endpoints.map(waitOf));
      if (waitMs > 0) await sleep(waitMs, undefined, { signal, ref: false });
      const able = endpoints.filter((endpoint) => waitOf(endpoint) === 0);
      return able[turn++ % able.length];
    },
    giveUp: (endpoint: Endpoint) => without.set(endpoint, now() + unsupportedMs),
  };
};

/** Listens to one subscription until it ends, fails or falls silent. */
const listenTo = async (
  endpoint: Endpoint,
  heard: (checkpoint: Checkpoint) => void,
  signal: AbortSignal,
  silenceMs: number,
) => {
  // A signal that has fired before would not end the call.
  if (signal.aborted) return;
  const left = new AbortController();
  const abort = AbortSignal.any([signal, left.signal]);
  const request = { readMask: { paths: blockPaths } };
  const stream = endpoint.client.subscriptionService.subscribeCheckpoints(request, { abort });
  // The outcome of the call is that of its answers, and is told once.
  for (const part of [stream.headers, stream.status, stream.trailers]) part.catch(() => undefined);
  let count = 0;
  const listen = async () => {
    for await (const { checkpoint } of stream.responses) {
      count++;
      if (checkpoint) heard(checkpoint);
    }
  };
  const hearken = async () => {
    for (let before = -1; before < count; ) {
      before = count;
      await sleep(silenceMs, undefined, { signal: abort, ref: false });
    }
  };
  try {
    await Promise.race([listen(), hearken()]);
  } finally {
    left.abort();
  }
};

/** Compares the head that a subscription told with the one that nodes answered. */
const createHeads = (nodes: Nodes, times: FeedTimes) => {
  let streamed: SeenHead | null = null;
  let polled: SeenHead | null = null;
  let behindSince: number | null = null;
  const compare = () => {
    const isBehind = streamed && polled && streamed.header.number < polled.header.number;
    behindSince = isBehind ? (behindSince ?? now()) : null;
  };
  const isLate = () => behindSince !== null && now() - behindSince > times.behindMs;
  return {
    /** Asks the nodes for the head. */
    ask: async () => {
      const heads = await nodes.poll(latestHeader);
      const header = heads.reduce((highest, other) => higher(highest, other));
      polled = { header, at: now() };
      compare();
      return header;
    },
    streamed: () => streamed?.header,
    /** Tells whether the subscription has been behind the nodes for too long. */
    isLate,
    /** Returns the head of a subscription that works. */
    live: () => (streamed && now() - streamed.at < times.freshMs && !isLate() ? streamed.header : undefined),
    /** Returns a head that was asked for a moment ago. */
    recent: () => (polled && now() - polled.at < times.pollMs ? higher(polled.header, streamed?.header) : undefined),
    hear: (header: Header) => {
      streamed = { header, at: now() };
      compare();
    },
    forget: () => {
      streamed = null;
      behindSince = null;
    },
  };
};
type Heads = ReturnType<typeof createHeads>;

/** Creates the subscription that is opened again and again, at one node after the other. */
const createWatch = (nodes: Nodes, times: FeedTimes, heads: Heads, take: Take) => {
  const turns = createTurns(nodes.endpoints, times);
  let open: AbortController | null = null;
  const hear = (endpoint: Endpoint, checkpoint: Checkpoint) => {
    const header = headerOf(checkpoint);
    const before = heads.streamed();
    if (before && header.number <= before.number) return;
    if (before && header.number === before.number + 1 && header.parentHash !== before.hash)
      failInvalidAnswer('a subscription to checkpoints that do not follow each other');
    take(checkpoint, header, endpoint);
    heads.hear(header);
  };
  const listen = async (endpoint: Endpoint, notice: () => void, signal: AbortSignal) => {
    // A node of another chain is not listened to.
    await nodes.use(chainIdOf, { among: (one) => one === endpoint });
    const stop = new AbortController();
    open = stop;
    const heard = (checkpoint: Checkpoint) => {
      hear(endpoint, checkpoint);
      notice();
    };
    await listenTo(endpoint, heard, AbortSignal.any([signal, stop.signal]), times.silenceMs);
  };
  return {
    close: () => open?.abort(),
    watch: async (notice: () => void, signal: AbortSignal) => {
      const endpoint = await turns.next(signal);
      if (!endpoint) return;
      try {
        await listen(endpoint, notice, signal);
      } catch (error) {
        if (faultOf(error).kind === 'unsupported') turns.giveUp(endpoint);
        throw error;
      } finally {
        open = null;
        heads.forget();
      }
    },
  };
};

/**
 * Knows the head of the chain. While somebody listens, one node at a time sends each new checkpoint by itself, so that
 * following needs hardly any request; when it ends, fails, falls silent or lags, the next one is asked to.
 */
export const createFeed = (nodes: Nodes, times: FeedTimes, take: Take) => {
  const heads = createHeads(nodes, times);
  const { watch, close } = createWatch(nodes, times, heads, take);
  let listeners = 0;
  /** Head that was told last, below which none is told while a subscription works. */
  let last: Header | undefined;
  let asking: Promise<Header> | null = null;
  const askOnce = () => {
    asking ??= heads.ask().finally(() => {
      asking = null;
    });
    return asking;
  };
  return {
    head: heads.ask,
    followedHead: async (): Promise<Header> => {
      if (heads.isLate()) close();
      const live = heads.live();
      if (live) last = higher(live, last);
      else last = (listeners > 0 ? heads.recent() : undefined) ?? (await askOnce());
      return last;
    },
    isListening: () => listeners > 0,
    hints: async function* (signal: AbortSignal): AsyncIterable<void> {
      listeners++;
      try {
        yield* watchHeads([watch], AbortSignal.any([signal, nodes.closed]));
      } finally {
        listeners--;
      }
    },
  };
};
