import {
  type Deadline,
  type NewEvent,
  noStream,
  type Position,
  type Revision,
  StoreRefuses,
  TooLarge,
} from '../../application/ports/event-store.js';
import { StoreDown } from '../../domain/failure.js';
import { type NativeMethod, sizeOf } from './appends.js';
import type { ClientWrite } from './clients/client.js';
import type { Connection, RawRecord } from './connection.js';
import { inParallel } from './in-parallel.js';
import { createOutcomes } from './outcomes.js';
import {
  commitRecords,
  commitStreamOf,
  maxEvents,
  parseReservation,
  plainEvent,
  plainRecords,
  positionOf,
  reservationRecord,
} from './records.js';

type Write = { readonly stream: string; readonly expected: Revision; readonly events: readonly NewEvent[] };

const reservationsAtOnce = 64;
/**
 * Minimum number of reservations for which one streaming call is cheaper than a separate call for each reservation.
 */
const minStreamedReservations = 16;
const outcomesAtOnce = 64;
/** Size limit in bytes of one append on a server with the default configuration. */
const maxBytes = 1_048_576;

export type Commits = {
  /**
   * Appends to all streams or to none. Resolves to the commit's position, or null when the server does not report it.
   */
  write(writes: readonly Write[], deadline?: Deadline): Promise<Position | null>;
  /**
   * Returns the events of a stream's records. Events of a reservation are included only if its command was committed.
   */
  eventsIn(records: readonly RawRecord[], deadline?: Deadline): Promise<readonly NewEvent[]>;
};

export const createCommits = (connection: Connection): Commits => {
  const { remember, abort, settle } = createOutcomes(connection);
  /**
   * Aborts a command that failed, so that no reader waits for its outcome. Does not wait if the server does not answer,
   * because readers also abort a command when they find its reservations undecided.
   */
  const abortFailed = async (commitStream: string, error: unknown, deadline?: Deadline) => {
    const isAway = error instanceof StoreDown && !(error instanceof StoreRefuses);
    const aborting = abort(commitStream, isAway ? undefined : deadline).catch(() => undefined);
    if (!isAway) await aborting;
  };

  /**
   * Appends the events to all streams in one call, which needs no reservations. Each record states how many records of
   * the whole append follow it.
   */
  const writeAtOnce = async (writes: readonly Write[], method: NativeMethod, deadline?: Deadline) => {
    const records = plainRecords(writes.flatMap(({ events }) => events));
    let taken = 0;
    const parts = writes.map(({ stream, expected, events }) => {
      const from = taken;
      taken += events.length;
      return { stream, expected, records: records.slice(from, taken) };
    });
    const commit = await connection.appendMany(parts, method, deadline);
    return commit === null ? null : positionOf(commit, 0);
  };

  /**
   * Stores the reservations, with one streaming call if there are at least `minStreamedReservations`. If that call
   * fails, appends each reservation separately, which yields the exact error.
   */
  const reserve = async (reservations: readonly ClientWrite[], deadline?: Deadline) => {
    const inOrder = () => connection.appendInOrder(reservations, connection.deadlines.timeoutMs).catch(() => false);
    if (reservations.length >= minStreamedReservations && (await inOrder())) return deadline?.renew();
    await inParallel(reservations, reservationsAtOnce, ({ stream, expected, records }) =>
      connection.append(stream, expected, records, deadline),
    );
  };

  const writeReserved = async (writes: readonly Write[], deadline?: Deadline) => {
    const count = writes.reduce((sum, { events }) => sum + events.length, 0);
    if (count > maxEvents)
      throw new Error(`Too many events in one command: ${count}. At most ${maxEvents} are allowed.`);
    const commitStream = commitStreamOf(writes);
    const decision = commitRecords(commitStream, writes);
    const reservations = writes.map((write) => ({ ...write, records: [reservationRecord(commitStream, write)] }));
    // Every append of the commit protocol is measured before the first one is sent, so that a rejected command leaves
    // no trace.
    const bytes = Math.max(sizeOf(decision), ...reservations.map(({ records }) => sizeOf(records)));
    if (bytes > maxBytes) throw new TooLarge(bytes, maxBytes);
    try {
      await reserve(reservations, deadline);
      const commit = await connection.append(commitStream, noStream, decision, deadline);
      remember(commitStream, true);
      return commit === null ? null : positionOf(commit, count - 1);
    } catch (error) {
      await abortFailed(commitStream, error, deadline);
      throw error;
    }
  };

  return {
    write: async (writes, deadline) => {
      const streams = writes.map(({ stream }) => stream);
      const method = await connection.multiStreamMethodFor(streams, deadline);
      return method === 'reservations' ? writeReserved(writes, deadline) : writeAtOnce(writes, method, deadline);
    },
    eventsIn: async (records, deadline) => {
      const reservations = records.map(parseReservation);
      const deciding = [...new Set(reservations.flatMap((one) => one?.commitStream ?? []))];
      const happened = new Set<string>();
      await inParallel(deciding, outcomesAtOnce, async (commitStream) => {
        if (await settle(commitStream, deadline)) happened.add(commitStream);
      });
      return records.flatMap((record, n) => {
        const reserved = reservations[n];
        if (!reserved) return [plainEvent(record)];
        return happened.has(reserved.commitStream) ? reserved.events : [];
      });
    },
  };
};
