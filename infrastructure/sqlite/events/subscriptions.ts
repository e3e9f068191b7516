import type { EventStore, Position, Recorded } from '../../../application/ports/event-store.js';
import { loopTurn } from '../../loop-turn.js';

/** Interval at which the store is checked for events appended by other processes. */
const pollIntervalMs = 20;
const inboxLimit = 10_000;
/** Events beyond which each subscriber works in a turn of its own. */
const readWithoutPause = 200;

/**
 * Inbox of one subscriber. Events appended by this process arrive directly and need not be read back; those of other
 * processes are found by reading the store.
 */
const createInbox = (after: Position) => {
  let events: Recorded[] = [];
  let reach = after;
  let mustLook = true;
  let wake = () => {};
  return {
    /** Adds events, unless the inbox is full: the gap then makes the subscriber read the store instead. */
    offer: (more: readonly Recorded[]) => {
      if (events.length >= inboxLimit) return;
      events.push(...more);
      reach = Math.max(reach, more.at(-1)?.position ?? reach);
      wake();
    },
    /** Wakes the subscriber if the store holds events beyond those offered. */
    notice: (head: Position) => {
      if (head <= reach) return;
      mustLook = true;
      wake();
    },
    wake: () => wake(),
    /** Takes the events after the position; null if the store has to be read because some are missing. */
    takeAfter: (cursor: Position): readonly Recorded[] | null => {
      const taken = events.filter(({ position }) => position > cursor);
      events = [];
      if (mustLook || taken.some(({ position }, i) => position !== cursor + 1 + i)) return null;
      return taken;
    },
    /** Records the subscriber's position after it read the store, and whether it read everything. */
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

type ReadAfter = (position: Position) => Promise<readonly Recorded[]>;

/** Reads a batch once for all subscribers that are there; one that was empty or failed is read again. */
const createSharedRead = (readAfter: ReadAfter) => {
  let latest: { readonly after: Position; readonly batch: ReturnType<ReadAfter> } | undefined;
  const forget = () => {
    latest = undefined;
  };
  return {
    forget,
    read: async (after: Position): Promise<readonly Recorded[]> => {
      const reading = latest?.after === after ? latest.batch : readAfter(after);
      latest = { after, batch: reading };
      let isKept = false;
      try {
        const batch = await reading;
        isKept = batch.length > 0;
        return batch;
      } finally {
        if (!isKept && latest?.batch === reading) forget();
      }
    },
  };
};

/** Subscriptions to appended events. The store is checked once for all subscribers, and they share the batches read. */
export const createSubscriptions = (store: {
  /** Returns a batch that ends where an append ends. */
  readAfter: ReadAfter;
  batchSize: number;
  head(): Position;
  /** Tells whether appends of this process are running, whose events will be offered. */
  isAppending(): boolean;
}) => {
  const inboxes = new Set<ReturnType<typeof createInbox>>();
  let timer: NodeJS.Timeout | undefined;
  const shared = createSharedRead(store.readAfter);

  /** Returns infinity if the store cannot be read, so that the subscribers read it and meet the error. */
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
  const enter = (after: Position, signal: AbortSignal) => {
    const inbox = createInbox(after);
    inboxes.add(inbox);
    timer ??= setInterval(look, pollIntervalMs);
    signal.addEventListener('abort', inbox.wake);
    return inbox;
  };
  const leave = (inbox: ReturnType<typeof createInbox>, signal: AbortSignal) => {
    signal.removeEventListener('abort', inbox.wake);
    inboxes.delete(inbox);
    if (inboxes.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    shared.forget();
  };
  /** A full batch may be followed by more. */
  const isAll = (batch: readonly Recorded[]) => batch.length < store.batchSize;
  const read = async (inbox: ReturnType<typeof createInbox>, cursor: Position) => {
    const batch = await shared.read(cursor);
    inbox.caughtUp(batch.at(-1)?.position ?? cursor, isAll(batch));
    return batch;
  };
  const inOwnTurn = async (batch: readonly Recorded[]) => {
    if (batch.length > readWithoutPause) await loopTurn();
    return batch;
  };
  const subscribe: EventStore['subscribe'] = async function* (after, signal) {
    const inbox = enter(after, signal);
    let cursor = after;
    try {
      while (!signal.aborted) {
        const batch = inbox.takeAfter(cursor) ?? (await read(inbox, cursor));
        cursor = batch.at(-1)?.position ?? cursor;
        if (batch.length > 0) yield inOwnTurn(batch);
        await (isAll(batch) ? inbox.wait(signal) : loopTurn());
      }
    } finally {
      leave(inbox, signal);
    }
  };
  return {
    subscribe,
    /** Hands events just appended here to the subscribers, in order; `appended` is called only if there are any. */
    offer: (appended: () => readonly Recorded[]) => {
      if (inboxes.size === 0) return;
      const events = appended();
      for (const inbox of inboxes) inbox.offer(events);
    },
  };
};
