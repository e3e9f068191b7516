import { setImmediate as breathe } from 'node:timers/promises';
import type { EventStore, Position, Recorded } from '../../application/ports/event-store.js';

/** How often somebody looks for what another process appended. */
const lookEveryMs = 20;
const inboxLimit = 10_000;

/**
 * What this process appended, for one of its subscribers: it arrives at once and need not be read back. What other
 * processes appended is found by looking.
 */
const createInbox = (after: Position) => {
  let events: Recorded[] = [];
  let reach = after;
  let mustLook = true;
  let wake = () => {};
  return {
    /** What is dropped here leaves a gap, and the subscriber reads the store instead. */
    offer: (more: readonly Recorded[]) => {
      if (events.length >= inboxLimit) return;
      events.push(...more);
      reach = Math.max(reach, more.at(-1)?.position ?? reach);
      wake();
    },
    /** Told how far the store is. */
    notice: (head: Position) => {
      if (head <= reach) return;
      mustLook = true;
      wake();
    },
    wake: () => wake(),
    /** What follows the position, as far as it is here; null when the store has to be read. */
    takeAfter: (cursor: Position): readonly Recorded[] | null => {
      const taken = events.filter(({ position }) => position > cursor);
      events = [];
      if (mustLook || taken.some(({ position }, i) => position !== cursor + 1 + i)) return null;
      return taken;
    },
    /** Told how far the subscriber is after it read the store, and whether that was all. */
    caughtUp: (cursor: Position, isAll: boolean) => {
      reach = cursor;
      mustLook = !isAll;
    },
    wait: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (events.length > 0 || mustLook || signal.aborted) resolve();
      }),
  };
};

/** Those who wait for what is appended. The store is looked at once for all of them, and what they find is the same. */
export const createSubscriptions = (store: {
  /** In batches that end where an append ends. */
  readAfter(position: Position): readonly Recorded[];
  batchSize: number;
  head(): Position;
  /** Whether appends of this process are under way: what they come to is offered. */
  isAppending(): boolean;
}) => {
  const inboxes = new Set<ReturnType<typeof createInbox>>();
  let timer: NodeJS.Timeout | undefined;
  let latest: { readonly after: Position; readonly batch: readonly Recorded[] } | undefined;

  /** One that cannot be read is for the subscribers to find out. */
  const headOfStore = () => {
    try {
      return store.head();
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  };
  const look = () => {
    if (store.isAppending()) return;
    const head = headOfStore();
    for (const inbox of inboxes) inbox.notice(head);
  };
  const readAfter = (after: Position): readonly Recorded[] => {
    if (latest?.after === after) return latest.batch;
    const batch = store.readAfter(after);
    if (batch.length > 0) latest = { after, batch };
    return batch;
  };
  const enter = (after: Position, signal: AbortSignal) => {
    const inbox = createInbox(after);
    inboxes.add(inbox);
    timer ??= setInterval(look, lookEveryMs);
    signal.addEventListener('abort', inbox.wake);
    return inbox;
  };
  const leave = (inbox: ReturnType<typeof createInbox>, signal: AbortSignal) => {
    signal.removeEventListener('abort', inbox.wake);
    inboxes.delete(inbox);
    if (inboxes.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    latest = undefined;
  };
  /** A full batch may have more behind it. */
  const isAll = (batch: readonly Recorded[]) => batch.length < store.batchSize;
  const read = (inbox: ReturnType<typeof createInbox>, cursor: Position) => {
    const batch = readAfter(cursor);
    inbox.caughtUp(batch.at(-1)?.position ?? cursor, isAll(batch));
    return batch;
  };
  const subscribe: EventStore['subscribe'] = async function* (after, signal) {
    const inbox = enter(after, signal);
    let cursor = after;
    try {
      while (!signal.aborted) {
        const batch = inbox.takeAfter(cursor) ?? read(inbox, cursor);
        cursor = batch.at(-1)?.position ?? cursor;
        if (batch.length > 0) yield batch;
        await (isAll(batch) ? inbox.wait(signal) : breathe());
      }
    } finally {
      leave(inbox, signal);
    }
  };
  return {
    subscribe,
    /** Events just appended here, in their order; made only if there is somebody for them. */
    offer: (appended: () => readonly Recorded[]) => {
      if (inboxes.size === 0) return;
      const events = appended();
      for (const inbox of inboxes) inbox.offer(events);
    },
  };
};
