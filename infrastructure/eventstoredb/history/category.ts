import {
  beginning,
  type Commit,
  MissingEvents,
  type Position,
  type Recorded,
} from '../../../application/ports/event-store.js';
import type { Connection, RawRecord } from '../connection.js';
import { positionOf, recordedEvents } from '../records.js';

const pageSize = 500;
/** Page size for reading backwards, where callers usually need only the newest few events. */
const backwardsSize = 100;

export const categoryOf = (stream: string) => stream.slice(0, stream.indexOf('-'));

type IsIn = (commit: Commit) => boolean;
const isRecordIn = (isIn: IsIn, { commit, time }: RawRecord) =>
  commit !== null && isIn({ position: positionOf(commit, 0), time });

/**
 * Finds the revision of the link to the last record for which `isIn` holds; -1 if there is none. Uses a binary search,
 * because links are numbered without gaps in the order of the log.
 */
const lastLinkUpTo = async (connection: Connection, stream: string, isIn: IsIn): Promise<number> => {
  const [newest] = await connection.readStream(stream, { count: 1, newestFirst: true });
  if (!newest) return -1;
  const isLinkIn = async (from: number) => {
    const [found] = await connection.readStream(stream, { from, count: 1, resolveLinks: true });
    return found !== undefined && isRecordIn(isIn, found);
  };
  if (await isLinkIn(newest.revision)) return newest.revision;
  let [low, high] = [-1, newest.revision - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (await isLinkIn(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
};

/**
 * Yields the events of a category in order, from the last record that begins before a position up to and including the
 * record at log position `last`. A category consists of the streams of one kind that belong to one organization.
 */
export const categoryForwards = async function* (
  connection: Connection,
  name: string,
  after: Position,
  last: bigint,
): AsyncGenerator<Recorded> {
  const stream = `$ce-${name}`;
  // Starts with the last record that begins before the position, because one record may hold events on both sides of
  // it.
  const isBefore: IsIn = ({ position }) => position < after;
  let from = after === beginning ? 0 : Math.max(0, await lastLinkUpTo(connection, stream, isBefore));
  for (;;) {
    const { records, isEnd } = await connection.readPage(stream, { from, count: pageSize, resolveLinks: true });
    for (const raw of records) {
      if (raw.commit !== null && raw.commit > last) return;
      yield* recordedEvents(raw);
    }
    if (isEnd) return;
    from += records.length;
  }
};

/** Yields the events of a category newest first, starting at the last record for which `isIn` holds. */
export const categoryBackwards = async function* (
  connection: Connection,
  name: string,
  isIn: IsIn,
): AsyncGenerator<Recorded> {
  const stream = `$ce-${name}`;
  let from = await lastLinkUpTo(connection, stream, isIn);
  while (from >= 0) {
    const count = Math.min(backwardsSize, from + 1);
    const options = { from, count, newestFirst: true, resolveLinks: true };
    const { records } = await connection.readPage(stream, options);
    if (records.length === 0) throw new MissingEvents(stream, `event ${from} is missing`);
    for (const raw of records) yield* recordedEvents(raw).toReversed();
    from -= records.length;
  }
};
