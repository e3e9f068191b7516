import {
  type NewEvent,
  noStream,
  type Patience,
  type Position,
  type Revision,
  StoreRefuses,
  TooLarge,
} from '../../application/ports/event-store.js';
import { StoreDown } from '../../domain/failure.js';
import { type ServersWay, sizeOf } from './appends.js';
import type { ClientWrite } from './clients/client.js';
import type { Connection, RawRecord } from './connection.js';
import { createOutcomes } from './outcomes.js';
import {
  commitment,
  commitStreamOf,
  maxEvents,
  plainEvent,
  plainRecords,
  positionOf,
  reservation,
  reservedBy,
} from './records.js';
import { tryMs } from './retry.js';

type Write = { readonly stream: string; readonly expected: Revision; readonly events: readonly NewEvent[] };

const reservationsAtOnce = 64;
/** Number of reservations from which on they go over one call, which costs less than a call for each. */
const manyReservations = 16;
const outcomesAtOnce = 64;
/** Bound on one append of a server with the default configuration. */
const maxBytes = 1_048_576;

export type Commits = {
  /**
   * Appends to all streams or to none; resolves to the commit's log position, or null where the server does not report
   * it.
   */
  write(writes: readonly Write[], patience?: Patience): Promise<Position | null>;
  /** Returns the events of a stream's records; a reservation's events count only if its commit happened. */
  eventsIn(records: readonly RawRecord[], patience?: Patience): Promise<readonly NewEvent[]>;
};

/**
 * Works through the list, `width` items at a time; after the first error no new item is begun, and the error is thrown
 * once the running ones have ended.
 */
export const inParallel = async <T>(items: readonly T[], width: number, work: (item: T) => Promise<unknown>) => {
  const queue = [...items];
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  const lanes = await Promise.allSettled(
    Array.from({ length: width }, async () => {
      await lane().catch((error: unknown) => {
        queue.length = 0;
        throw error;
      });
    }),
  );
  for (const one of lanes) if (one.status === 'rejected') throw one.reason;
};

export const createCommits = (connection: Connection): Commits => {
  const { remember, abort, settle } = createOutcomes(connection);
  /**
   * Aborts a command that failed, so that nobody waits for its commit. A server that does not answer is not waited for:
   * whoever meets the reservations aborts them too.
   */
  const giveUp = async (commitStream: string, error: unknown, patience?: Patience) => {
    const isAway = error instanceof StoreDown && !(error instanceof StoreRefuses);
    const aborting = abort(commitStream, isAway ? undefined : patience).catch(() => undefined);
    if (!isAway) await aborting;
  };

  /** Appends the events themselves, as one append of the server; each record says how many follow in all of it. */
  const writeAtOnce = async (writes: readonly Write[], way: ServersWay, patience?: Patience) => {
    const records = plainRecords(writes.flatMap(({ events }) => events));
    let taken = 0;
    const parts = writes.map(({ stream, expected, events }) => {
      const from = taken;
      taken += events.length;
      return { stream, expected, records: records.slice(from, taken) };
    });
    const commit = await connection.appendMany(parts, way, patience);
    return commit === null ? null : positionOf(commit, 0);
  };

  /** Stores the reservations; whatever fails over one call for many is told exactly by an append for each. */
  const reserve = async (reservations: readonly ClientWrite[], patience?: Patience) => {
    const isMany = reservations.length >= manyReservations;
    if (isMany && (await connection.appendInOrder(reservations, tryMs).catch(() => false))) return patience?.renew();
    await inParallel(reservations, reservationsAtOnce, ({ stream, expected, records }) =>
      connection.append(stream, expected, records, patience),
    );
  };

  const writeReserved = async (writes: readonly Write[], patience?: Patience) => {
    const count = writes.reduce((sum, { events }) => sum + events.length, 0);
    if (count > maxEvents) throw new Error(`a command may append ${maxEvents} events at once, not ${count}`);
    const commitStream = commitStreamOf(writes);
    const decision = commitment(commitStream, writes);
    const reservations = writes.map((write) => ({ ...write, records: [reservation(commitStream, write)] }));
    // Every append of the protocol is measured before the first is stored: what is too large leaves no trace.
    const bytes = Math.max(sizeOf(decision), ...reservations.map(({ records }) => sizeOf(records)));
    if (bytes > maxBytes) throw new TooLarge(bytes, maxBytes);
    try {
      await reserve(reservations, patience);
      const commit = await connection.append(commitStream, noStream, decision, patience);
      remember(commitStream, true);
      return commit === null ? null : positionOf(commit, count - 1);
    } catch (error) {
      await giveUp(commitStream, error, patience);
      throw error;
    }
  };

  return {
    write: async (writes, patience) => {
      const way = await connection.wayFor(
        writes.map(({ stream }) => stream),
        patience,
      );
      return way === 'reservations' ? writeReserved(writes, patience) : writeAtOnce(writes, way, patience);
    },
    eventsIn: async (records, patience) => {
      const reservations = records.map(reservedBy);
      const deciding = [...new Set(reservations.flatMap((one) => one?.commitStream ?? []))];
      const happened = new Set<string>();
      await inParallel(deciding, outcomesAtOnce, async (commitStream) => {
        if (await settle(commitStream, patience)) happened.add(commitStream);
      });
      return records.flatMap((record, n) => {
        const reserved = reservations[n];
        if (!reserved) return [plainEvent(record)];
        return happened.has(reserved.commitStream) ? reserved.events : [];
      });
    },
  };
};
