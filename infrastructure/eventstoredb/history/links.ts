import { setTimeout as sleep } from 'node:timers/promises';
import { organizationOf } from '../../../application/ports/event-store.js';
import type { Connection, RawRecord } from '../connection.js';
import { recordedEvents } from '../records.js';
import { categoryOf } from './category.js';

const pollIntervalMs = 50;
/**
 * Newest part of the log, by time and by number of records. The records of this part may not be linked in their
 * categories yet. The server links categories concurrently, so a later event may be linked shortly before an earlier
 * event of another category.
 */
const unsettled = { ms: 10_000, records: 1000 };
const lookBack = 500;

/** End of the log when a read started, and the newest record of each category that may lack links. */
export type LogEnd = { readonly commit: bigint; readonly unsettled: readonly RawRecord[] };

/** Yields the newest records with events, back to where all links are certain to exist. */
const newestRecords = async function* (backwards: AsyncIterable<RawRecord>) {
  let [last, seen]: [RawRecord | null, number] = [null, 0];
  for await (const raw of backwards) {
    if (last && (++seen > unsettled.records || last.time - raw.time > unsettled.ms)) return;
    if (recordedEvents(raw).length === 0) continue;
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

/**
 * Waits until a category links a record, and therefore every earlier record of the category. Resolves to false if the
 * link is still missing at `until` (Unix ms).
 */
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

/** Returns whether an organization's categories link all events up to the end, after waiting for late links. */
export const isLinkedUpTo = async (connection: Connection, end: LogEnd): Promise<boolean> => {
  // Late links are awaited until this time. If links are still missing then, all events are read instead.
  const until = Date.now() + connection.deadlines.linksMs;
  for (const record of end.unsettled) if (!(await isLinked(connection, record, until))) return false;
  return true;
};
