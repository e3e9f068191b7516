import { setTimeout as sleep } from 'node:timers/promises';
import { linkedController } from '../../../application/async/linked-controller.js';
import type { Header } from '../../../application/ports/chain.js';
import { watchHeads } from '../../nodes/heads.js';
import { createHeadRecord } from '../../nodes/impossible-head.js';
import { failInvalidAnswer } from '../../nodes/node-fault.js';
import { latestHeader } from './checkpoints.js';
import { chainIdOf, type Endpoint, faultOf, type Node, type Nodes } from './nodes.js';
import { blockPaths, type Checkpoint, headerOf } from './wire.js';

export type FeedTimes = {
  /** Milliseconds without a checkpoint from the subscription after which the nodes are polled for the head. */
  readonly freshMs: number;
  /** Milliseconds between polls while no subscription works. */
  readonly pollMs: number;
  /** Milliseconds for which a subscription may lag behind a polled head before it is reopened. */
  readonly behindMs: number;
  /** Milliseconds without a checkpoint after which a subscription counts as broken. */
  readonly silenceMs: number;
  /** Milliseconds until a node that does not support subscriptions is tried again. */
  readonly unsupportedMs: number;
};
export const defaultTimes: FeedTimes = {
  freshMs: 2000,
  pollMs: 1000,
  behindMs: 3000,
  silenceMs: 30_000,
  unsupportedMs: 300_000,
};

type SeenHead = { readonly header: Header; readonly at: number };
/** Receives each new checkpoint of a subscription. Throws to end the subscription. */
type Take = (checkpoint: Checkpoint, header: Header, endpoint: Endpoint) => void;

const now = () => performance.now();
const higher = (one: Header, other: Header | undefined) => (other && other.number > one.number ? other : one);

/** Creates a rotation through the nodes, which skips nodes that do not support subscriptions. */
const createRotation = (endpoints: readonly Endpoint[], { unsupportedMs }: FeedTimes) => {
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

/** Listens to one subscription until it ends, fails or is silent for `silenceMs`. */
const listenTo = async (
  endpoint: Endpoint,
  onCheckpoint: (checkpoint: Checkpoint) => void,
  signal: AbortSignal,
  silenceMs: number,
) => {
  // The call would not notice a signal that has already aborted, so the call is not started.
  if (signal.aborted) return;
  const left = linkedController(signal);
  const { signal: abort } = left;
  const request = { readMask: { paths: blockPaths } };
  const stream = endpoint.client.subscriptionService.subscribeCheckpoints(request, { abort });
  // Prevents unhandled rejections: if the call fails, these parts reject with the same error that `responses` throws.
  for (const part of [stream.headers, stream.status, stream.trailers]) part.catch(() => undefined);
  let count = 0;
  const listen = async () => {
    for await (const { checkpoint } of stream.responses) {
      count++;
      if (checkpoint) onCheckpoint(checkpoint);
    }
  };
  const watchForSilence = async () => {
    for (let before = -1; before < count; ) {
      before = count;
      await sleep(silenceMs, undefined, { signal: abort, ref: false });
    }
  };
  try {
    await Promise.race([listen(), watchForSilence()]);
  } finally {
    left.abort();
  }
};

/**
 * Creates a tracker of the head from the subscription, the head from polling, and the time for which the subscription
 * lags.
 */
const createHeads = (nodes: Nodes, times: FeedTimes) => {
  const heads = createHeadRecord<Node['can'], Header>();
  let streamed: SeenHead | null = null;
  let polled: SeenHead | null = null;
  let behindSince: number | null = null;
  const compare = () => {
    const isBehind = streamed && polled && streamed.header.number < polled.header.number;
    behindSince = isBehind ? (behindSince ?? now()) : null;
  };
  const isLate = () => behindSince !== null && now() - behindSince > times.behindMs;
  return {
    /** Polls the nodes and returns the highest head. */
    ask: async () => {
      const header = heads.highest(await nodes.poll(async (node) => heads.note(node.can, await latestHeader(node))));
      polled = { header, at: now() };
      compare();
      return header;
    },
    isPolled: () => polled !== null,
    /** Throws if the chain cannot have reached the streamed checkpoint, as it does for a polled head. */
    check: ({ can }: Endpoint, header: Header) => void heads.possible([heads.note(can, header)]),
    streamed: () => streamed?.header,
    /** Returns whether the subscription has lagged behind the nodes for longer than `behindMs`. */
    isLate,
    /**
     * Returns the head from the subscription; undefined if it arrived more than `freshMs` ago or the subscription lags.
     */
    live: () => (streamed && now() - streamed.at < times.freshMs && !isLate() ? streamed.header : undefined),
    /**
     * Returns the higher of the polled and the streamed head if the nodes were polled less than `pollMs` ago; undefined
     * if not.
     */
    recent: () => (polled && now() - polled.at < times.pollMs ? higher(polled.header, streamed?.header) : undefined),
    noteStreamed: (header: Header) => {
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

/** Creates a subscription that can be reopened, each time at the next node. */
const createWatch = (nodes: Nodes, times: FeedTimes, heads: Heads, take: Take) => {
  const turns = createRotation(nodes.endpoints, times);
  let open: AbortController | null = null;
  const acceptCheckpoint = (endpoint: Endpoint, checkpoint: Checkpoint) => {
    const header = headerOf(checkpoint);
    const before = heads.streamed();
    if (before && header.number <= before.number) return;
    if (before && header.number === before.number + 1 && header.parentHash !== before.hash)
      failInvalidAnswer('sent a checkpoint that does not follow the previous one');
    heads.check(endpoint, header);
    take(checkpoint, header, endpoint);
    heads.noteStreamed(header);
  };
  const listen = async (endpoint: Endpoint, notice: () => void, signal: AbortSignal) => {
    // Rejects if the node serves another chain, before its checkpoints are used.
    await nodes.use(chainIdOf, { among: (one) => one === endpoint });
    // Polls first: any first checkpoint would count as possible without the heads of other nodes.
    if (!heads.isPolled()) await heads.ask();
    const stop = linkedController(signal);
    open = stop;
    const onCheckpoint = (checkpoint: Checkpoint) => {
      acceptCheckpoint(endpoint, checkpoint);
      notice();
    };
    await listenTo(endpoint, onCheckpoint, stop.signal, times.silenceMs).finally(() => stop.abort());
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
 * Creates a tracker of the chain's head. While there is a listener, one node at a time streams new checkpoints, which
 * takes few requests. If the stream ends, fails, falls silent or lags, the next node is used.
 */
export const createFeed = (nodes: Nodes, times: FeedTimes, take: Take) => {
  const heads = createHeads(nodes, times);
  const { watch, close } = createWatch(nodes, times, heads, take);
  let listeners = 0;
  /** Last returned head. While a subscription works, no lower head is returned. */
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
        yield* watchHeads([watch], signal, nodes.closed);
      } finally {
        listeners--;
      }
    },
  };
};
