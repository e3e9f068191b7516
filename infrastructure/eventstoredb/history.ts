import { setTimeout as sleep } from 'node:timers/promises';
import { organizationOf, type Position, type Recorded } from '../../application/ports/event-store.js';
import type { Connection, RawRecord } from './connection.js';
import { recordedIn } from './records.js';

const pageSize = 500;
/** How long the server's own category projection may lag before we do without it. */
const categoryPatienceMs = 3000;
const askEveryMs = 50;

const categoryOf = (stream: string) => stream.slice(0, stream.indexOf('-'));

/** One category's records in order, page by page; each holds the events of one kind of stream of one organization. */
const category = async function* (connection: Connection, name: string): AsyncGenerator<Recorded> {
  for (let from = 0; ; from += pageSize) {
    const page = await connection.readStream(`$ce-${name}`, { from, count: pageSize, resolveLinks: true });
    for (const raw of page) yield* recordedIn(raw);
    if (page.length < pageSize) return;
  }
};

/** Several ordered sequences as one. */
const merge = async function* (sequences: readonly AsyncGenerator<Recorded>[]): AsyncGenerator<Recorded> {
  const heads = await Promise.all(sequences.map(async (sequence) => ({ sequence, next: await sequence.next() })));
  for (;;) {
    const open = heads.filter(({ next }) => !next.done);
    const [first, ...others] = open;
    if (!first) return;
    const least = others.reduce((a, b) => (b.next.value.position < a.next.value.position ? b : a), first);
    yield least.next.value;
    least.next = await least.sequence.next();
  }
};

export type History = (organizationId: string, after: Position) => AsyncIterable<readonly Recorded[]>;

/**
 * An organization's history from the category streams of its aggregates, which the server keeps for us: the cost is the
 * organization's own. Where the server does not keep them, or not up to date, everything is read and the rest skipped.
 */
export const createHistory = (
  connection: Connection,
  aggregates: readonly string[],
  ports: { last: () => Promise<RawRecord | null>; readAll: (after: Position) => AsyncIterable<readonly Recorded[]> },
): History => {
  /** The server writes the links of all categories in the order of the log: having the last one it has them all. */
  const areCategoriesComplete = async (last: RawRecord) => {
    const until = Date.now() + categoryPatienceMs;
    for (;;) {
      const [newest] = await connection.readStream(`$ce-${categoryOf(last.stream)}`, {
        count: 1,
        newestFirst: true,
        resolveLinks: true,
      });
      if (newest?.commit === null) return false;
      if (newest && last.commit !== null && newest.commit >= last.commit) return true;
      if (Date.now() > until) return false;
      await sleep(askEveryMs);
    }
  };

  const events = async function* (organizationId: string, after: Position): AsyncGenerator<Recorded> {
    const last = await ports.last();
    if (!last) return;
    if (await areCategoriesComplete(last))
      yield* merge(aggregates.map((aggregate) => category(connection, `${organizationId}.${aggregate}`)));
    else for await (const batch of ports.readAll(after)) yield* batch;
  };

  return async function* (organizationId, after) {
    let batch: Recorded[] = [];
    for await (const event of events(organizationId, after)) {
      if (event.position <= after || organizationOf(event.stream) !== organizationId) continue;
      batch.push(event);
      if (batch.length < pageSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  };
};
