import { type Deadline, MissingEvents } from '../../application/ports/event-store.js';
import { StoreDown } from '../../domain/failure.js';
import { TimedOut } from '../deadline.js';
import type { Deadlines } from '../deadlines.js';
import { isMissingStream } from './clients/client-errors.js';
import { type Attempt, createRetry } from './retry.js';

/** Read of the client: a transform stream into which the stream of the gRPC call is piped. */
export type Reading<Sent> = NodeJS.ReadableStream & AsyncIterable<Sent> & { destroy(error: Error): void };
type Call = { readonly destroyed: boolean; cancel(): void; resume(): void; _read(size: number): void };

/** Part of a read. `isEnd` is true when no record follows. */
export type Page<Found> = { readonly records: readonly Found[]; readonly isEnd: boolean };
export type Bounds = { readonly count: number; readonly bytes: number };

/** Size in bytes after which a page ends, to bound the time and memory that a page of large records takes. */
export const pageBytes = 4_194_304;

/**
 * Returns a function that ends the call of an abandoned read. The function drains the call, because the client counts a
 * call as open until its stream has ended, even after the client was disposed.
 */
const releasing = (reading: NodeJS.ReadableStream) => {
  let [call, isGivenUp]: [Call | null, boolean] = [null, false];
  const release = (isAnswered = false) => {
    isGivenUp = true;
    // A complete answer is not cancelled, because a server closes the connection of a client that resets many calls.
    // Draining reads the answer to its end, even when the client has destroyed the call.
    if (!isAnswered) call?.cancel();
    if (call?.destroyed) call._read(0);
    else call?.resume();
  };
  reading.once('pipe', (source: Call) => {
    call = source;
    if (isGivenUp) setImmediate(release);
  });
  return release;
};

/**
 * Passes each record of a read to `take`, until `take` returns false. Resolves to true if the read ended by itself, and
 * to false if `take` ended it. The timeout restarts with every record. The error listener stays attached, because the
 * client may report errors even after the end of the read.
 */
const consume = async <Sent>(
  reading: Reading<Sent>,
  take: (sent: Sent) => boolean,
  silentMs: number,
): Promise<boolean> => {
  reading.on('error', () => undefined);
  const release = releasing(reading);
  const silence = setTimeout(() => reading.destroy(new TimedOut(silentMs)), silentMs);
  let [isEnded, isAnswered] = [false, false];
  try {
    for await (const sent of reading) {
      silence.refresh();
      if (!take(sent)) return false;
    }
    isEnded = true;
  } catch (error) {
    isAnswered = isMissingStream(error);
    throw error;
  } finally {
    clearTimeout(silence);
    if (!isEnded) release(isAnswered);
  }
  return true;
};

type Source<Sent, Found> = {
  /**
   * Opens a read of at most `count` records after the record `last`; if `last` is undefined, from the start of the
   * page.
   */
  open(last: Found | undefined, count: number): Reading<Sent>;
  /** Converts what the client sent to a record; null to skip it. `last` is the record before it. */
  found(sent: Sent, last: Found | undefined): Found | null;
  /** Returns whether no record of the read can follow `record`. */
  isLast?(record: Found): boolean;
  /** Returns whether an error is a definite answer of the server, which a retry would not change. */
  isAnswer(error: unknown): boolean;
};

/**
 * Creates a function that collects a page. A read that breaks is resumed after the last record received, for as long as
 * each attempt makes progress. A page completes even if no single attempt reads all of it.
 */
export const createPages = (closing: AbortSignal, deadlines: Deadlines) => {
  const retrying = createRetry(deadlines);
  // Maximum milliseconds without data from a read: `timeoutMs` in the first attempt. A retry gets all the time until
  // the deadline, because it starts the read over.
  const silentMsIn = ({ tried, leftMs }: Attempt) => (tried === 0 ? deadlines.timeoutMs : leftMs);
  const isFinal = (error: unknown) => closing.aborted || error instanceof MissingEvents;

  return async <Sent, Found extends { readonly bytes: number }>(
    bounds: Bounds,
    { open, found, isAnswer, isLast = () => false }: Source<Sent, Found>,
    deadline?: Deadline,
  ): Promise<Page<Found>> => {
    const records: Found[] = [];
    let [bytes, isEnd] = [0, false];
    const isFull = () => records.length >= bounds.count || bytes >= bounds.bytes;
    const take = (sent: Sent) => {
      const record = found(sent, records.at(-1));
      if (!record) return true;
      records.push(record);
      bytes += record.bytes;
      // Checks only the bytes, because a read ends by itself after the requested number of records.
      return bytes < bounds.bytes;
    };
    const readOn = async (attempt: Attempt) => {
      const before = records.length;
      const reading = open(records.at(-1), bounds.count - before);
      try {
        isEnd = (await consume(reading, take, silentMsIn(attempt))) && records.length < bounds.count;
      } catch (error) {
        if (records.length === before || isFinal(error)) throw error;
      }
      isEnd ||= records.slice(-1).some(isLast);
      // Closing the connection ends a read as if it were complete, although records are missing.
      if (closing.aborted) throw new StoreDown('The connection to the event store was closed.');
    };
    const terms = { isFinal: (error: unknown) => isFinal(error) || isAnswer(error), deadline };
    while (!isFull() && !isEnd) await retrying(terms, readOn);
    return { records, isEnd };
  };
};
