import { isRecord } from '../../domain/rpc-value.js';
import type { Node } from '../ports/node.js';
import type { System } from '../ports/system.js';
import { createListenerLoop, type Leave, type Listener, type Notification, toNotification } from './notification.js';

const everyMs = 3000;

/** Converts a node's answer to `eth_syncing` into the notification for subscribers. */
const noticeOf = (answer: unknown) => (isRecord(answer) ? { syncing: true, status: answer } : false);

/** Notifies subscribers when the nodes start to sync, while they do and when they are done. */
export const createSyncingFeed = (node: Node, system: System) => {
  const listeners = new Set<Listener>();
  const telling = createListenerLoop(system);
  let watching: AbortController | null = null;

  const look = async (last: Notification): Promise<Notification> => {
    const answer = await node.ask('eth_syncing', []).catch(() => null);
    if (answer === null) return last;
    const now = toNotification(noticeOf(answer));
    if (now.json !== last.json) await telling(listeners, (hear) => hear(now));
    return now;
  };
  const watch = async (signal: AbortSignal) => {
    let last = toNotification(false);
    for (;;) {
      await system.sleep(everyMs, signal);
      if (signal.aborted) return;
      last = await look(last);
    }
  };
  return async (hear: Listener): Promise<Leave> => {
    listeners.add(hear);
    if (!watching) {
      watching = new AbortController();
      void watch(AbortSignal.any([watching.signal, node.closed]));
    }
    return () => {
      listeners.delete(hear);
      if (listeners.size > 0) return;
      watching?.abort();
      watching = null;
    };
  };
};
