import { MissingEvents, type Patience } from '../../application/ports/event-store.js';
import { StoreDown } from '../../domain/failure.js';
import { isMissingStream } from './clients/refusals.js';
import { retrying, tryMs } from './retry.js';

/** Read of the client, a transform into which the call's own stream is piped. */
export type Reading<Sent> = NodeJS.ReadableStream & AsyncIterable<Sent> & { destroy(error: Error): void };
type Call = { readonly destroyed: boolean; cancel(): void; resume(): void; _read(size: number): void };

/** Part of a read, and whether nothing followed it. */
export type Page<Found> = { readonly records: readonly Found[]; readonly isEnd: boolean };
export type Bounds = { readonly count: number; readonly bytes: number };

/** Bytes after which a page ends, so that a page of large records neither takes long nor much memory. */
export const pageBytes = 4_194_304;

/**
 * Ends the call of a read that is given up. What the call has received is drained, because the client counts a call as
 * open, also when it is disposed of, until its stream has ended.
 */
const releasing = (reading: NodeJS.ReadableStream) => {
  let [call, isGivenUp]: [Call | null, boolean] = [null, false];
  const release = (isAnswered = false) => {
    isGivenUp = true;
    // An answer that is complete is not cancelled, because a server ends the connection of a client that resets many
    // calls. Draining reads it to its end, also where the client has destroyed the call.
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
 * Hands over what a read sends until `take` returns false; returns whether the read ended by itself. Only silence is
 * bounded: a read that goes on is alive. The error listener stays, because the client may report errors after the end.
 */
const consume = async <Sent>(reading: Reading<Sent>, take: (sent: Sent) => boolean): Promise<boolean> => {
  reading.on('error', () => undefined);
  const release = releasing(reading);
  const silence = setTimeout(() => reading.destroy(new Error(`no answer within ${tryMs} ms`)), tryMs);
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
  /** Opens a read of so many records behind the last one that was found. */
  open(last: Found | undefined, count: number): Reading<Sent>;
  /** Returns the record that was sent, or null for one that is not wanted. */
  found(sent: Sent, last: Found | undefined): Found | null;
  /** Tells whether nothing can follow a record. */
  isLast?(record: Found): boolean;
  /** Tells whether an error is the server's answer, which a retry would not change. */
  isAnswer(error: unknown): boolean;
};

/**
 * Collects pages. A read that breaks is continued behind the last record that came, for as long as each try gets
 * further, so that a page comes in the end even if no single try gets through it.
 */
export const createPages = (closing: AbortSignal) => {
  const isFinal = (error: unknown) => closing.aborted || error instanceof MissingEvents;

  return async <Sent, Found extends { readonly bytes: number }>(
    bounds: Bounds,
    { open, found, isAnswer, isLast = () => false }: Source<Sent, Found>,
    patience?: Patience,
  ): Promise<Page<Found>> => {
    const records: Found[] = [];
    let [bytes, isEnd] = [0, false];
    const isFull = () => records.length >= bounds.count || bytes >= bounds.bytes;
    const take = (sent: Sent) => {
      const record = found(sent, records.at(-1));
      if (!record) return true;
      records.push(record);
      bytes += record.bytes;
      // A read that has sent as many records as were asked for ends by itself.
      return bytes < bounds.bytes;
    };
    const readOn = async () => {
      const before = records.length;
      try {
        isEnd = (await consume(open(records.at(-1), bounds.count - before), take)) && records.length < bounds.count;
      } catch (error) {
        if (records.length === before || isFinal(error)) throw error;
      }
      isEnd ||= records.slice(-1).some(isLast);
      // A read that closing cut off ends like a complete one, but with fewer records.
      if (closing.aborted) throw new StoreDown('the event store was closed');
    };
    const terms = { isFinal: (error: unknown) => isFinal(error) || isAnswer(error), patience };
    while (!isFull() && !isEnd) await retrying(terms, readOn);
    return { records, isEnd };
  };
};
