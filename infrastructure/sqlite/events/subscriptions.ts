import type { EventStore, Position, Recorded } from '../../../application/ports/event-store.js';
import { loopTurn } from '../../loop-turn.js';

/** Interval in ms at which the store is polled for events of other processes. */
const pollIntervalMs = 20;
const inboxLimit = 10_000;
/**
 * Number of events above which an append is not passed to subscribers directly. Subscribers read a larger append from
 * the store, in several turns of the event loop.
 */
const maxOfferedSize = 2000;
/** Number of events in a batch above which each subscriber gets a separate turn of the event loop. */
const maxSharedTurnSize = 200;

/**
 * Creates the inbox of one subscriber. Events that this process appends arrive directly. Events of other processes are
 * found by reading the store.
 */
const createInbox = (after: Position) => {
  let events: Recorded[] = [];
  let offeredUpTo = after;
  let mustRead = true;
  let wake = () => {};
  return {
    /** Adds events unless the inbox is full. A full inbox leaves a gap, and the subscriber reads the store instead. */
    offer: (more: readonly Recorded[]) => {
      if (events.length >= inboxLimit) return;
      for (const event of more) events.push(event);
      offeredUpTo = Math.max(offeredUpTo, more.at(-1)?.position ?? offeredUpTo);
      wake();
    },
    /** Wakes the subscriber if the store has events after the events that were offered. */
    noteHead: (head: Position) => {
      if (head <= offeredUpTo) return;
      mustRead = true;
      wake();
    },
    wake: () => wake(),
    /** Takes the events after the position; null when events are missing and the store must be read. */
    takeAfter: (cursor: Position): readonly Recorded[] | null => {
      const taken = events.filter(({ position }) => position > cursor);
      events = [];
      if (mustRead || taken.some(({ position }, i) => position !== cursor + 1 + i)) return null;
      return taken;
    },
    /** Records the subscriber's position after a read of the store, and whether the read reached the end. */
    caughtUp: (cursor: Position, isAll: boolean) => {
      offeredUpTo = cursor;
      mustRead = !isAll;
    },
    wait: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (events.length > 0 || mustRead || signal.aborted) resolve();
      }),
  };
};

type ReadAfter = (position: Position) => Promise<readonly Recorded[]>;

/**
 * Creates a read that runs only once for all subscribers at the same position. Does not keep an empty batch or a failed
 * read.
 */
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

/**
 * Creates the manager of subscriptions to appended events. All subscribers share one poll of the store and the batches
 * that are read from the store.
 */
export const createSubscriptions = (store: {
  /** Returns a batch that ends where an append ends. */
  readAfter: ReadAfter;
  batchSize: number;
  head(): Position;
  /** Returns whether this process has appends in flight, whose events will be offered. */
  isAppending(): boolean;
}) => {
  const inboxes = new Set<ReturnType<typeof createInbox>>();
  let timer: NodeJS.Timeout | undefined;
  const shared = createSharedRead(store.readAfter);

  /**
   * Returns the head of the store; infinity if the store cannot be read, so that every subscriber tries to read it and
   * gets the error.
   */
  const headOfStore = () => {
    try {
      return store.head();
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  };
  const poll = () => {
    if (store.isAppending()) return;
    const head = headOfStore();
    for (const inbox of inboxes) inbox.noteHead(head);
  };
  const enter = (after: Position, signal: AbortSignal) => {
    const inbox = createInbox(after);
    inboxes.add(inbox);
    timer ??= setInterval(poll, pollIntervalMs);
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
  /** Returns whether a batch reached the end of the store. A full batch may be followed by more. */
  const isAll = (batch: readonly Recorded[]) => batch.length < store.batchSize;
  const read = async (inbox: ReturnType<typeof createInbox>, cursor: Position) => {
    const batch = await shared.read(cursor);
    inbox.caughtUp(batch.at(-1)?.position ?? cursor, isAll(batch));
    return batch;
  };
  const inOwnTurn = async (batch: readonly Recorded[]) => {
    if (batch.length > maxSharedTurnSize) await loopTurn();
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
    /**
     * Passes an append to the subscribers, in order. Calls `appended`, which builds the events, only if subscribers get
     * the events directly.
     */
    offer: (
      { head, count }: { readonly head: Position; readonly count: number },
      appended: () => readonly Recorded[],
    ) => {
      if (inboxes.size === 0) return;
      if (count > maxOfferedSize) {
        for (const inbox of inboxes) inbox.noteHead(head);
        return;
      }
      const events = appended();
      for (const inbox of inboxes) inbox.offer(events);
    },
  };
};
