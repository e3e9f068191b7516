import { isRecord } from '../../domain/rpc-value.js';
import { linkedController } from '../async/linked-controller.js';
import type { Node } from '../ports/node.js';
import type { System } from '../ports/system.js';
import { createListenerLoop, type Leave, type Listener, type Notification, toNotification } from './notification.js';

const pollIntervalMs = 3000;

/** Converts a node's answer to `eth_syncing` into the notification for subscribers. */
const notificationOf = (answer: unknown) => (isRecord(answer) ? { syncing: true, status: answer } : false);

/**
 * Creates a function that adds a subscriber. While there are subscribers, `eth_syncing` is polled, and subscribers are
 * notified when its result changes: at the start, during and at the end of a sync.
 */
export const createSyncingFeed = (node: Node, system: System) => {
  const listeners = new Set<Listener>();
  const notifyAll = createListenerLoop(system);
  let watching: AbortController | null = null;

  const poll = async (last: Notification): Promise<Notification> => {
    const answer = await node.ask('eth_syncing', []).catch(() => null);
    if (answer === null) return last;
    const now = toNotification(notificationOf(answer));
    if (now.json !== last.json) await notifyAll(listeners, (listener) => listener(now));
    return now;
  };
  const watch = async (signal: AbortSignal) => {
    let last = toNotification(false);
    for (;;) {
      await system.sleep(pollIntervalMs, signal);
      if (signal.aborted) return;
      last = await poll(last);
    }
  };
  return async (listener: Listener): Promise<Leave> => {
    listeners.add(listener);
    if (!watching) {
      watching = linkedController(node.closed);
      void watch(watching.signal);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      watching?.abort();
      watching = null;
    };
  };
};
