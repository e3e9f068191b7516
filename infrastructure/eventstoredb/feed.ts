import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../../application/async/backoff.js';
import { createDoorbell } from '../doorbell.js';
import type { Connection, RawRecord } from './connection.js';
import { pageBytes } from './pages.js';

/**
 * Yields the records of $all after a position as they arrive, until the signal aborts, and reconnects when the
 * connection breaks. The records of an append, which the server sends one by one, are yielded together.
 */
export type Feed = (after: bigint | null, signal: AbortSignal) => AsyncIterable<readonly RawRecord[]>;

/** Limits on the records that are buffered for a slow consumer. */
const maxWaiting = { records: 5000, bytes: pageBytes };
const pageSize = 500;
const backoffMs = { firstMs: 50, maxMs: 2000 };
/** Idle time in ms after which the head of the log is read, because a broken subscription looks like an idle one. */
const idleCheckMs = 3000;

/** Creates a collector that holds records back until their append is complete. */
const createAppendAssembler = () => {
  let partial: RawRecord[] = [];
  return {
    /** Returns the records of the append that this record completes, or none while the append is incomplete. */
    add: (raw: RawRecord): readonly RawRecord[] => {
      partial.push(raw);
      if (raw.remaining > 0) return [];
      const whole = partial;
      partial = [];
      return whole;
    },
    isWhole: () => partial.length === 0,
  };
};

/**
 * Creates a subscription that buffers its records. The records of an append become available once the last one has
 * arrived.
 */
const createSubscriptionBuffer = (connection: Connection, after: bigint | null) => {
  const appends = createAppendAssembler();
  let [records, bytes]: [RawRecord[], number] = [[], 0];
  let cursor = after;
  let [isEnded, isPaused] = [false, false];
  const bell = createDoorbell();
  const subscription = connection.subscribeToAll(after, (commit) => {
    // Records that were sent before the checkpoint may still be buffered here or in the client. The cursor must not
    // pass them.
    if (appends.isWhole() && records.length === 0 && subscription.readableLength === 0) cursor = commit;
  });
  subscription.on('data', (resolved) => {
    const raw = connection.recordOf(resolved);
    if (!raw) return;
    bytes += raw.bytes;
    records.push(...appends.add(raw));
    isPaused ||= records.length >= maxWaiting.records || (records.length > 0 && bytes >= maxWaiting.bytes);
    if (isPaused) subscription.pause();
    if (records.length > 0) bell.ring();
  });
  const end = () => {
    isEnded = true;
    bell.ring();
  };
  // The error listener stays attached, because the client may report errors of a subscription that was abandoned.
  subscription.on('error', end);
  subscription.on('end', end);
  subscription.on('close', end);
  return {
    isOver: () => isEnded && records.length === 0,
    take: () => {
      const taken = records;
      [records, bytes] = [[], 0];
      cursor = taken.at(-1)?.commit ?? cursor;
      isPaused = false;
      subscription.resume();
      return taken;
    },
    /** Position of the last record that was taken or skipped. */
    cursor: () => cursor,
    /** Resolves to true when nothing arrives within `ms`, otherwise to false. */
    wait: (ms: number, signal: AbortSignal) => bell.wait(ms, signal, () => records.length > 0 || isEnded),
    close: () => void subscription.unsubscribe().catch(() => undefined),
  };
};

export const createFeed = (connection: Connection, headOf: () => Promise<bigint | null>): Feed => {
  const isMissing = async (cursor: bigint | null) => {
    const head = await headOf().catch(() => null);
    return head !== null && (cursor === null || head > cursor);
  };

  /**
   * Reads the rest of the log in pages at the consumer's pace, because the server drops slow subscribers. Ends at the
   * end of the log and when the store does not answer.
   */
  const inPages = async function* (after: bigint | null, signal: AbortSignal) {
    const appends = createAppendAssembler();
    for (let [from, isEnd] = [after, false]; !isEnd && !signal.aborted; ) {
      const page = await connection.readAll(from, pageSize).catch(() => null);
      const found = page?.records.filter(({ commit }) => commit !== from) ?? [];
      const whole = found.flatMap(appends.add);
      if (whole.length > 0) yield whole;
      from = found.at(-1)?.commit ?? from;
      isEnd = page?.isEnd ?? true;
    }
  };

  /**
   * Yields the records of one subscription. Ends when the subscription breaks or no longer delivers records. Returns
   * the position to resume after.
   */
  const oneSubscription = async function* (after: bigint | null, signal: AbortSignal) {
    const buffer = createSubscriptionBuffer(connection, after);
    try {
      while (!signal.aborted && !buffer.isOver()) {
        const records = buffer.take();
        if (records.length > 0) yield records;
        else if ((await buffer.wait(idleCheckMs, signal)) && (await isMissing(buffer.cursor()))) break;
      }
    } finally {
      buffer.close();
    }
    return buffer.cursor();
  };

  return async function* (after, signal) {
    let cursor = after;
    const backoff = createBackoff(backoffMs);
    while (!signal.aborted) {
      const before = cursor;
      cursor = yield* oneSubscription(cursor, signal);
      if (cursor !== before) backoff.reset();
      if (signal.aborted) return;
      await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
      for await (const records of inPages(cursor, signal)) {
        yield records;
        cursor = records.at(-1)?.commit ?? cursor;
      }
    }
  };
};
