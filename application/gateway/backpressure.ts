import { createHighChurnSet, type HighChurnSet } from '../async/high-churn.js';
import type { Notification } from './notification.js';

/** Bytes counted for a queue entry in addition to its message. */
const placeBytes = 16;

/** Client that may fail to read its socket or to poll its filters. */
export type Reader = {
  /** Returns the number of bytes that the client's socket has not sent yet. */
  readonly buffered: () => number;
  /**
   * Returns `buffered()` plus the size in bytes of all queued messages, including messages that other clients share.
   */
  readonly unread: () => number;
  /** Disconnects the client and drops its queue. */
  readonly cut: () => void;
};

type Readers = Omit<HighChurnSet<Reader>, 'add' | 'delete'> & {
  add(one: Reader): unknown;
  delete(one: Reader): unknown;
};

/** Maximum number of bytes that wait for all clients together. */
export const maxUnread = 256 * 1_048_576;

/**
 * Limit on the memory of messages and answers that wait for clients over HTTP and WebSocket, so that many slow clients
 * cannot exhaust the memory of the process.
 */
export type Backpressure = ReturnType<typeof createBackpressure>;

/**
 * Creates a limit that disconnects clients while more than `maxBytes` wait, starting with the client that has the most
 * unread bytes. A message or an answer that waits for several clients counts once.
 */
export const createBackpressure = (readers: Readers = createHighChurnSet(), maxBytes = maxUnread) => {
  // WeakMap, because a Map would keep deleted answers in memory until the next full garbage collection; see
  // high-churn.ts.
  const held = new WeakMap<object, { holders: number; bytes: number }>();
  let waiting = 0;
  let bytes = 0;

  const relieve = (total: () => number) => {
    if (total() <= maxBytes) return;
    const unread = [...readers].map((one): [Reader, number] => [one, one.unread()]);
    for (const [worst, own] of unread.toSorted(([, a], [, b]) => b - a)) {
      // Disconnecting a client that has nothing unread would free nothing.
      if (own === 0) return;
      worst.cut();
      if (total() <= maxBytes) return;
    }
  };
  const everything = () => {
    let sum = bytes;
    for (const one of readers) sum += one.buffered();
    return sum;
  };
  const take = (what: object, size: number) => {
    const found = held.get(what);
    if (found) found.holders++;
    else {
      held.set(what, { holders: 1, bytes: size });
      bytes += size;
    }
  };
  const drop = (what: object) => {
    const found = held.get(what);
    if (!found || --found.holders > 0) return;
    held.delete(what);
    bytes -= found.bytes;
  };
  return {
    readers,
    waiting: () => waiting,
    /**
     * Returns the total size in bytes of queued messages and of HTTP answers that are being received or sent.
     */
    bytes: () => bytes,
    /** Counts one more client that waits for `what`, a message or an answer. Its bytes count once for all clients. */
    take,
    /** Updates the size of an answer that has grown or shrunk since `take`. */
    resize: (what: object, size: number) => {
      const found = held.get(what);
      if (!found) return;
      bytes += size - found.bytes;
      found.bytes = size;
    },
    drop,
    hold: (notification: Notification) => {
      take(notification, notification.json.length);
      waiting++;
      bytes += placeBytes;
    },
    release: (notification: Notification) => {
      drop(notification);
      waiting--;
      bytes -= placeBytes;
    },
    /** Enforces the limit for queued messages and answers; called after further messages or answers were queued. */
    check: () => relieve(() => bytes),
    /**
     * Enforces the limit including socket buffers. Called periodically, because it visits every client.
     */
    checkAll: () => relieve(everything),
  };
};
