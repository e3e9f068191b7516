import { type LogFilter, matches } from '../../domain/log-filter.js';
import type { Node } from '../ports/node.js';
import type { System } from '../ports/system.js';
import { type ChainEvents, createHeadFollower } from './follow-heads.js';
import type { FollowedLog } from './followed-block.js';
import { createListenerLoop, type Leave, type Listener, type Notification, toNotification } from './notification.js';
import { createSyncingFeed } from './syncing-feed.js';

/** Callback for a new head; gets its header and its hash. */
type HeadListener = (header: Notification, hash: Notification) => void;
type LogListener = { readonly filter: LogFilter; readonly hear: Listener };

/** Subscriptions to one chain, shared by all connections. Nodes are asked for nothing while nobody is subscribed. */
export type ChainFeed = {
  /** Resolves once every later event will be delivered; the result unsubscribes. */
  onHeads(hear: HeadListener): Promise<Leave>;
  onLogs(filter: LogFilter, hear: Listener): Promise<Leave>;
  onPending(hear: Listener): Promise<Leave>;
  onSyncing(hear: Listener): Promise<Leave>;
};

/** Time for which the follower goes on without subscribers, so that a client that reconnects does not start it anew. */
const lingerMs = 30_000;
/** Filters tried before other work gets a turn. */
const breatheEvery = 5000;
/** Pending transactions that wait to be told; any more are left out. */
const maxPending = 100_000;

const tellLogs = (listeners: ReadonlySet<LogListener>, { breathe }: System) => {
  let looks = 0;
  const tellLog = async (log: FollowedLog, removed: boolean) => {
    let told: Notification | null = null;
    for (const { filter, hear } of listeners) {
      if (++looks % breatheEvery === 0) await breathe();
      if (!matches(filter, log)) continue;
      told ??= toNotification({ ...log, removed });
      hear(told);
    }
  };
  return async (logs: readonly FollowedLog[], removed: boolean) => {
    for (const log of logs) await tellLog(log, removed);
  };
};

/** Tells subscribers of pending transactions, one after another. */
const tellHashes = (listeners: ReadonlySet<Listener>, system: System) => {
  const telling = createListenerLoop(system);
  const waiting: string[] = [];
  let isTelling = false;
  const tellWaiting = async () => {
    isTelling = true;
    try {
      for (let hash = waiting.shift(); hash !== undefined; hash = waiting.shift()) {
        const told = toNotification(hash);
        await telling(listeners, (hear) => hear(told));
      }
    } finally {
      isTelling = false;
    }
  };
  return (hash: string) => {
    if (waiting.length < maxPending) waiting.push(hash);
    if (!isTelling) void tellWaiting();
  };
};

/** Follower of a chain that starts with the first subscriber and stops some time after the last one left. */
const createFollowing = (node: Node, system: System, events: ChainEvents, isWanted: () => boolean) => {
  type Running = { readonly follower: ReturnType<typeof createHeadFollower>; readonly ready: Promise<void> };
  let running: Running | null = null;
  let idle = 0;

  const stop = () => {
    running?.follower.stop();
    running = null;
  };
  const start = (): Running => {
    const follower = createHeadFollower(node, system, events);
    const started = { follower, ready: follower.start() };
    started.ready.catch(() => {
      if (running === started) stop();
    });
    return started;
  };
  return {
    /** Starts the follower if needed and brings it up to the head, as far as nodes answer. */
    join: async () => {
      idle++;
      running ??= start();
      const { ready, follower } = running;
      await ready;
      await follower.catchUp();
    },
    leave: async () => {
      if (isWanted() || !running) return;
      const since = ++idle;
      await system.sleep(lingerMs, node.closed);
      if (idle === since && !isWanted()) stop();
    },
  };
};

export const createChainFeed = (node: Node, system: System): ChainFeed => {
  const heads = new Set<HeadListener>();
  const logs = new Set<LogListener>();
  const pending = new Set<Listener>();
  const tellOf = tellLogs(logs, system);
  let watchingPending: { readonly ending: AbortController; readonly begun: Promise<void> } | null = null;

  const tellPending = tellHashes(pending, system);
  const telling = createListenerLoop(system);
  const events: ChainEvents = {
    added: async ({ header, hash, logs: found }) => {
      const [toldHeader, toldHash] = [toNotification(header), toNotification(hash)];
      await telling(heads, (hear) => hear(toldHeader, toldHash));
      await tellOf(found, false);
    },
    removed: async (blocks, added) => {
      const logsGone = blocks.flatMap((block) => block.logs);
      await tellOf(logsGone, true);
      const again = new Set(added.flatMap(({ transactions }) => transactions));
      for (const hash of blocks.flatMap(({ transactions }) => transactions)) if (!again.has(hash)) tellPending(hash);
    },
  };
  const following = createFollowing(node, system, events, () => heads.size + logs.size + pending.size > 0);

  const watchPending = () => {
    const ending = new AbortController();
    return { ending, begun: node.watchPending(tellPending, ending.signal) };
  };
  const join = async <T>(listeners: Set<T>, listener: T): Promise<Leave> => {
    await following.join();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (pending.size === 0) {
        watchingPending?.ending.abort();
        watchingPending = null;
      }
      void following.leave();
    };
  };
  return {
    onHeads: (hear) => join(heads, hear),
    onLogs: (filter, hear) => join(logs, { filter, hear }),
    onPending: async (hear) => {
      const leave = await join(pending, hear);
      watchingPending ??= watchPending();
      await watchingPending.begun;
      return leave;
    },
    onSyncing: createSyncingFeed(node, system),
  };
};
