import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../../application/async/backoff.js';
import { createDoorbell } from '../doorbell.js';
import { type Connection, type RawRecord, rawRecord } from './connection.js';

/**
 * Records of $all after a position as they come, for as long as the signal allows, whatever happens to the connection.
 * An append comes as a whole: the server sends its records one by one.
 */
export type Feed = (after: bigint | null, signal: AbortSignal) => AsyncIterable<readonly RawRecord[]>;

const mostWaiting = 5000;
const pausesMs = { firstMs: 50, longestMs: 2000 };
/** A subscription that brings nothing for so long is asked for: perhaps there is something and it does not come. */
const suspiciousMs = 3000;

type Subscription = ReturnType<Connection['subscribeToAll']>;

/** What a subscription brought and nobody took yet; the records of an append only once its last one is here. */
const createMailbox = (subscription: Subscription) => {
  let records: RawRecord[] = [];
  let partial: RawRecord[] = [];
  let ended = false;
  const bell = createDoorbell();
  subscription.on('data', (resolved) => {
    const raw = rawRecord(resolved);
    if (raw) partial.push(raw);
    if (raw?.remaining !== 0) return;
    records.push(...partial);
    partial = [];
    if (records.length >= mostWaiting) subscription.pause();
    bell.ring();
  });
  const end = () => {
    ended = true;
    bell.ring();
  };
  // The listener stays: the client may report errors of a subscription that was given up.
  subscription.on('error', end);
  subscription.on('end', end);
  subscription.on('close', end);
  return {
    isOver: () => ended && records.length === 0,
    take: () => {
      const taken = records;
      records = [];
      subscription.resume();
      return taken;
    },
    /** Resolves true when nothing came for so long. */
    wait: (ms: number, signal: AbortSignal) => bell.wait(ms, signal, () => records.length > 0 || ended),
  };
};

export const createFeed = (connection: Connection, headOf: () => Promise<bigint | null>): Feed => {
  const isMissing = async (cursor: bigint | null) => {
    const head = await headOf().catch(() => null);
    return head !== null && (cursor === null || head > cursor);
  };

  /** Ends when the connection breaks or turns out to bring nothing. */
  const oneSubscription = async function* (after: bigint | null, signal: AbortSignal) {
    const subscription = connection.subscribeToAll(after);
    const mailbox = createMailbox(subscription);
    let cursor = after;
    try {
      while (!signal.aborted && !mailbox.isOver()) {
        const records = mailbox.take();
        cursor = records.at(-1)?.commit ?? cursor;
        if (records.length > 0) yield records;
        else if ((await mailbox.wait(suspiciousMs, signal)) && (await isMissing(cursor))) return;
      }
    } finally {
      void subscription.unsubscribe().catch(() => undefined);
    }
  };

  return async function* (after, signal) {
    let cursor = after;
    const backoff = createBackoff(pausesMs);
    while (!signal.aborted) {
      for await (const records of oneSubscription(cursor, signal)) {
        cursor = records.at(-1)?.commit ?? cursor;
        backoff.reset();
        yield records;
      }
      if (signal.aborted) return;
      await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
    }
  };
};
