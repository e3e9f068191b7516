import { setTimeout as sleep } from 'node:timers/promises';
import { organizationOf } from '../../../application/ports/event-store.js';
import type { Connection, RawRecord } from '../connection.js';
import { recordedIn } from '../records.js';
import { categoryOf } from './category.js';

/** Longest accepted lag of the server's category projection; beyond it, all events are read instead. */
const patienceMs = 3000;
const pollIntervalMs = 50;
/**
 * Cacheability of the look back for events that have no link yet. The server links events of different categories side by
 * side, so that the link of a later event may be there before that of an earlier one; never long before.
 */
const unsettled = { ms: 10_000, records: 1000 };
const lookBack = 500;

/** End of the log as a reader found it, and the newest records of those categories that may lack links. */
export type LogEnd = { readonly commit: bigint; readonly unsettled: readonly RawRecord[] };

/** Yields the newest records of the log that hold events, back to where all links are surely written. */
const newestRecords = async function* (backwards: AsyncIterable<RawRecord>) {
  let [last, seen]: [RawRecord | null, number] = [null, 0];
  for await (const raw of backwards) {
    if (last && (++seen > unsettled.records || last.time - raw.time > unsettled.ms)) return;
    if (recordedIn(raw).length === 0) continue;
    last ??= raw;
    yield raw;
  }
};

/** Finds the end of the log for a reader of one organization; null while the log has no events. */
export const findEnd = async (
  recordsBackwards: (atOnce: number) => AsyncIterable<RawRecord>,
  organizationId: string,
): Promise<LogEnd | null> => {
  const newest = new Map<string, RawRecord>();
  let last: RawRecord | null = null;
  for await (const raw of newestRecords(recordsBackwards(lookBack))) {
    const category = categoryOf(raw.stream);
    const isAsked = last === null || organizationOf(raw.stream) === organizationId;
    last ??= raw;
    if (isAsked && !newest.has(category)) newest.set(category, raw);
  }
  return last?.commit == null ? null : { commit: last.commit, unsettled: [...newest.values()] };
};

/** Tells whether a category has the link of a record, and thereby of every earlier record of that category. */
const isLinked = async (connection: Connection, { stream, commit }: RawRecord, until: number): Promise<boolean> => {
  const options = { count: 1, newestFirst: true, resolveLinks: true };
  for (;;) {
    const [newest] = await connection.readStream(`$ce-${categoryOf(stream)}`, options);
    if (newest?.commit === null) return false;
    if (newest && commit !== null && newest.commit >= commit) return true;
    if (Date.now() > until) return false;
    await sleep(pollIntervalMs);
  }
};

/** Tells whether the categories of an organization have all events up to the end, waiting for links that are late. */
export const isLinkedUpTo = async (connection: Connection, end: LogEnd): Promise<boolean> => {
  const until = Date.now() + patienceMs;
  for (const record of end.unsettled) if (!(await isLinked(connection, record, until))) return false;
  return true;
};
