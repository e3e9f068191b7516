import { createPassingSet, type PassingSet } from '../async/passing.js';
import type { Notification } from './notification.js';

/** Bytes counted for an entry of a queue besides its message. */
const placeBytes = 16;

/** Client that may fail to read its socket or to poll its filters. */
export type Reader = {
  /** Returns the bytes that its socket has not sent yet. */
  readonly buffered: () => number;
  /** Returns the bytes buffered in its socket and queued for it here, including messages that others wait for too. */
  readonly unread: () => number;
  /** Disconnects the client and drops its queue. */
  readonly cut: () => void;
};

type Readers = Omit<PassingSet<Reader>, 'add' | 'delete'> & { add(one: Reader): unknown; delete(one: Reader): unknown };

/** Bytes that may wait for all clients together. */
export const maxUnread = 256 * 1_048_576;

/**
 * Memory taken by messages and answers that wait for all clients together, over HTTP and WebSocket, bounded so that many
 * slow clients cannot exhaust it.
 */
export type Backpressure = ReturnType<typeof createBackpressure>;

/**
 * Disconnects clients, those with the most unread bytes first, while more than `maxBytes` wait. A message or an answer
 * that waits for many clients counts once.
 */
export const createBackpressure = (readers: Readers = createPassingSet(), maxBytes = maxUnread) => {
  // A Map would keep long answers in memory after they were sent, until the next full garbage collection.
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
    /** Returns the bytes of queued messages, and of answers that arrive or wait over HTTP. */
    bytes: () => bytes,
    /** Counts the bytes of an answer for one more client. */
    take,
    /** Counts an answer whose bytes have become more or fewer since a client took it. */
    resize: (what: object, size: number) => {
      const found = held.get(what);
      if (!found) return;
      bytes += size - found.bytes;
      found.bytes = size;
    },
    drop,
    hold: (told: Notification) => {
      take(told, told.json.length);
      waiting++;
      bytes += placeBytes;
    },
    release: (told: Notification) => {
      drop(told);
      waiting--;
      bytes -= placeBytes;
    },
    /** Relieves the pressure of queued messages; called after more were queued. */
    check: () => relieve(() => bytes),
    /**
     * Relieves the pressure of queued messages and socket buffers together; called now and then, as it visits every
     * client.
     */
    checkAll: () => relieve(everything),
  };
};
