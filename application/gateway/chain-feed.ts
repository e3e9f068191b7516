import { type LogFilter, matches } from '../../domain/log-filter.js';
import type { Node } from '../ports/node.js';
import type { System } from '../ports/system.js';
import { type ChainEvents, createHeadFollower } from './follow-heads.js';
import type { FollowedLog } from './followed-block.js';
import { createListenerLoop, type Leave, type Listener, type Notification, toNotification } from './notification.js';
import { createSyncingFeed } from './syncing-feed.js';

/** Callback for a new head, with the notifications of its header and of its hash. */
type HeadListener = (header: Notification, hash: Notification) => void;
type LogListener = { readonly filter: LogFilter; readonly listener: Listener };

/** Subscriptions to one chain, shared by all connections. Without subscribers, the nodes get no requests. */
export type ChainFeed = {
  /**
   * Subscribes to new heads. Once no later head can be missed, resolves to the function that unsubscribes.
   */
  onHeads(listener: HeadListener): Promise<Leave>;
  onLogs(filter: LogFilter, listener: Listener): Promise<Leave>;
  onPending(listener: Listener): Promise<Leave>;
  onSyncing(listener: Listener): Promise<Leave>;
};

/**
 * Time in milliseconds for which the follower keeps running without subscribers, so that a client can reconnect
 * without a restart of the follower.
 */
const lingerMs = 30_000;
/** Number of filters that are tested before the event loop runs other work. */
const filtersPerTurn = 5000;
/** Maximum number of queued notifications of pending transactions; further notifications are dropped. */
const maxPending = 100_000;

const createLogNotifier = (listeners: ReadonlySet<LogListener>, { breathe }: System) => {
  let tested = 0;
  const notifyLog = async (log: FollowedLog, removed: boolean) => {
    let notification: Notification | null = null;
    for (const { filter, listener } of listeners) {
      if (++tested % filtersPerTurn === 0) await breathe();
      if (!matches(filter, log)) continue;
      notification ??= toNotification({ ...log, removed });
      listener(notification);
    }
  };
  return async (logs: readonly FollowedLog[], removed: boolean) => {
    for (const log of logs) await notifyLog(log, removed);
  };
};

/** Creates a function that notifies subscribers of pending transactions, one transaction after another. */
const createPendingNotifier = (listeners: ReadonlySet<Listener>, system: System) => {
  const notifyAll = createListenerLoop(system);
  const waiting: string[] = [];
  let isNotifying = false;
  const notifyWaiting = async () => {
    isNotifying = true;
    try {
      for (let hash = waiting.shift(); hash !== undefined; hash = waiting.shift()) {
        const notification = toNotification(hash);
        await notifyAll(listeners, (listener) => listener(notification));
      }
    } finally {
      isNotifying = false;
    }
  };
  return (hash: string) => {
    if (waiting.length < maxPending) waiting.push(hash);
    if (!isNotifying) void notifyWaiting();
  };
};

/**
 * Creates functions that run the follower of a chain from the first subscription until `lingerMs` after the last
 * subscription ended.
 */
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
    /**
     * Starts the follower if needed, and waits until it has reached the head or a first attempt to do so has failed.
     */
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
  const notifyLogs = createLogNotifier(logs, system);
  let watchingPending: { readonly ending: AbortController; readonly begun: Promise<void> } | null = null;

  const notifyPending = createPendingNotifier(pending, system);
  const notifyAll = createListenerLoop(system);
  const events: ChainEvents = {
    added: async ({ header, hash, logs: found }) => {
      const [headerNotification, hashNotification] = [toNotification(header), toNotification(hash)];
      await notifyAll(heads, (listener) => listener(headerNotification, hashNotification));
      await notifyLogs(found, false);
    },
    removed: async (blocks, added) => {
      const logsGone = blocks.flatMap((block) => block.logs);
      await notifyLogs(logsGone, true);
      const again = new Set(added.flatMap(({ transactions }) => transactions));
      for (const hash of blocks.flatMap(({ transactions }) => transactions)) if (!again.has(hash)) notifyPending(hash);
    },
  };
  const following = createFollowing(node, system, events, () => heads.size + logs.size + pending.size > 0);

  const watchPending = () => {
    const ending = new AbortController();
    return { ending, begun: node.watchPending(notifyPending, ending.signal) };
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
    onHeads: (listener) => join(heads, listener),
    onLogs: (filter, listener) => join(logs, { filter, listener }),
    onPending: async (listener) => {
      const leave = await join(pending, listener);
      watchingPending ??= watchPending();
      await watchingPending.begun;
      return leave;
    },
    onSyncing: createSyncingFeed(node, system),
  };
};
