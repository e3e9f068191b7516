import { beginning, type Position, type Recorded, UnknownPosition } from '../../application/ports/event-store.js';
import type { Connection, RawRecord } from './connection.js';
import { commitOf, completeAppends, maxEvents, positionOf, recordedEvents } from './records.js';

const pageSize = 500;
const lookBack = 100;

/** Returns the events that the records contain, except those at or before a position. */
export const eventsAfter = (records: readonly RawRecord[], position: Position): readonly Recorded[] =>
  records.flatMap(recordedEvents).filter((event) => event.position > position);

/** Creates functions that read the events of all streams, in the order of the log. */
export const createAllEvents = (connection: Connection) => {
  /** Reads the record at a position. Rejects with UnknownPosition when the log has no record there. */
  const recordAt = async (position: Position): Promise<readonly RawRecord[]> => {
    const commit = commitOf(position);
    if (commit === null) return [];
    const page = await connection.readAll(commit, 1);
    if (page?.records[0]?.commit !== commit) throw new UnknownPosition(position);
    return page.records;
  };

  /**
   * Reads a page that starts with the record at a position. Rejects with UnknownPosition when the log lacks that
   * record, for example because an older backup was restored.
   */
  const pageFrom = async (commit: bigint | null, asked: Position) => {
    const page = await connection.readAll(commit, pageSize);
    if (!page || (commit !== null && page.records[0]?.commit !== commit)) throw new UnknownPosition(asked);
    return page;
  };
  /**
   * Reads records from a position on. Includes the record at the position, because one record may contain several
   * events, of which some come after the position.
   */
  const recordsFrom = async function* (from: Position) {
    let page = await pageFrom(commitOf(from), from);
    yield page.records;
    while (!page.isEnd) {
      page = await pageFrom(page.records.at(-1)?.commit ?? null, from);
      yield page.records.slice(1);
    }
  };

  const readAll = async function* (from: Position): AsyncGenerator<readonly Recorded[]> {
    let partial: readonly RawRecord[] = [];
    for await (const page of recordsFrom(from)) {
      const records = [...partial, ...page];
      const whole = completeAppends(records);
      partial = records.slice(whole.length);
      const events = eventsAfter(whole, from);
      if (events.length > 0) yield events;
    }
  };

  const isKnown = (position: Position) =>
    recordAt(position).then(
      () => true,
      (error: unknown) => (error instanceof UnknownPosition ? false : Promise.reject(error)),
    );
  /**
   * Yields the events after a position, up to and including the record at log position `last`. Starts at the beginning
   * of the log if the log has no record at `after`.
   */
  const readUpTo = async function* (after: Position, last: bigint): AsyncGenerator<Recorded> {
    const end = positionOf(last, maxEvents);
    for await (const batch of readAll((await isKnown(after)) ? after : beginning)) {
      yield* batch.filter(({ position }) => position <= end);
      if ((batch.at(-1)?.position ?? beginning) > end) return;
    }
  };

  const recordsBackwards = async function* (atOnce = lookBack): AsyncGenerator<RawRecord> {
    let before: bigint | null = null;
    do {
      const page: readonly RawRecord[] = await connection.readAllBackwards(before, atOnce);
      yield* page;
      before = page.at(-1)?.commit ?? null;
    } while (before !== null);
  };
  /** Finds the last record that contains events of the service, skipping the server's own records. */
  const last = async (): Promise<RawRecord | null> => {
    for await (const raw of recordsBackwards()) if (recordedEvents(raw).length > 0) return raw;
    return null;
  };
  const newest = async (): Promise<Recorded | null> => {
    const found = await last();
    return found ? (recordedEvents(found).at(-1) ?? null) : null;
  };
  const head = async (): Promise<Position> => (await newest())?.position ?? beginning;

  return { recordAt, isKnown, newest, readAll, readUpTo, recordsBackwards, last, head };
};
