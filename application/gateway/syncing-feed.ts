import { isRecord } from '../../domain/rpc-value.js';
import type { Node } from '../ports/node.js';
import type { System } from '../ports/system.js';
import { type Hear, type Leave, type Told, tell } from './notification.js';

const everyMs = 3000;

/** What subscribers are told, from what nodes answer. */
const noticeOf = (answer: unknown) => (isRecord(answer) ? { syncing: true, status: answer } : false);

/** Tells when the nodes begin to catch up, how they get on, and when they are done. */
export const createSyncingFeed = (node: Node, system: System) => {
  const listeners = new Set<Hear>();
  let watching: AbortController | null = null;

  const look = async (last: Told): Promise<Told> => {
    const answer = await node.ask('eth_syncing', []).catch(() => null);
    if (answer === null) return last;
    const now = tell(noticeOf(answer));
    if (now.json !== last.json) for (const hear of listeners) hear(now);
    return now;
  };
  const watch = async (signal: AbortSignal) => {
    let last = tell(false);
    for (;;) {
      await system.sleep(everyMs, signal);
      if (signal.aborted) return;
      last = await look(last);
    }
  };
  return async (hear: Hear): Promise<Leave> => {
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
