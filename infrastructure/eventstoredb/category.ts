import { isWithin, type Moment, type Recorded } from '../../application/ports/event-store.js';
import type { Connection, RawRecord } from './connection.js';
import { positionOf, recordedIn } from './records.js';

const pageSize = 500;
/** Whoever reads backwards wants the newest few. */
const backwardsSize = 100;

export const categoryOf = (stream: string) => stream.slice(0, stream.indexOf('-'));

/** One category's records in order, page by page; each holds the events of one kind of stream of one organization. */
export const categoryForwards = async function* (connection: Connection, name: string): AsyncGenerator<Recorded> {
  for (let from = 0; ; from += pageSize) {
    const page = await connection.readStream(`$ce-${name}`, { from, count: pageSize, resolveLinks: true });
    for (const raw of page) yield* recordedIn(raw);
    if (page.length < pageSize) return;
  }
};

const isRecordWithin = (upTo: Moment, { commit, time }: RawRecord) =>
  commit !== null && isWithin(upTo, { position: positionOf(commit, 0), time });

/** The newest record that began by a moment, by halving: links are numbered without gaps, in the order of the log. */
const lastLinkUpTo = async (connection: Connection, stream: string, upTo: Moment): Promise<number> => {
  const [newest] = await connection.readStream(stream, { count: 1, newestFirst: true });
  if (!newest) return -1;
  const isIn = async (from: number) => {
    const [found] = await connection.readStream(stream, { from, count: 1, resolveLinks: true });
    return found !== undefined && isRecordWithin(upTo, found);
  };
  if (await isIn(newest.revision)) return newest.revision;
  let [low, high] = [-1, newest.revision - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (await isIn(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** The same, newest first, from the last record that began by a moment. */
export const categoryBackwards = async function* (
  connection: Connection,
  name: string,
  upTo: Moment,
): AsyncGenerator<Recorded> {
  const stream = `$ce-${name}`;
  let from = await lastLinkUpTo(connection, stream, upTo);
  while (from >= 0) {
    const count = Math.min(backwardsSize, from + 1);
    const page = await connection.readStream(stream, { from, count, newestFirst: true, resolveLinks: true });
    for (const raw of page) yield* recordedIn(raw).toReversed();
    from -= count;
  }
};
