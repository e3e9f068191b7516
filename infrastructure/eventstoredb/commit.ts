import { setTimeout as sleep } from 'node:timers/promises';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import {
  type NewEvent,
  noStream,
  type Position,
  type Revision,
  WrongRevision,
} from '../../application/ports/event-store.js';
import type { Connection, RawRecord } from './connection.js';
import {
  abortion,
  commitment,
  commitStreamOf,
  mostEvents,
  plainEvent,
  positionOf,
  protocol,
  reservation,
  reservedBy,
} from './records.js';

type Write = { readonly stream: string; readonly expected: Revision; readonly events: readonly NewEvent[] };

/** A command that reserved and did not decide within this time is taken for dead; if it lives, it loses and tries again. */
const patienceMs = 1000;
const askEveryMs = 25;
const reservationsAtOnce = 64;
const rememberedOutcomes = 10_000;

export type Commits = {
  /** All streams or none; the log position of the commit, or null where the server does not tell it. */
  write(writes: readonly Write[]): Promise<Position | null>;
  /** The events of a stream's records: those of a reservation count if its commit happened. */
  eventsIn(records: readonly RawRecord[]): Promise<readonly NewEvent[]>;
};

/** Works through the list some at a time; the first error ends it once what is under way has ended. */
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
  const outcomes = createBoundedCache<string, boolean>(rememberedOutcomes);
  const remember = (commitStream: string, happened: boolean) => {
    outcomes.set(commitStream, happened);
    return happened;
  };

  const look = async (commitStream: string): Promise<boolean | null> => {
    const known = outcomes.get(commitStream);
    if (known !== undefined) return known;
    const [first] = await connection.readStream(commitStream, { count: 1 });
    return first ? remember(commitStream, first.type === protocol.committed) : null;
  };
  /** Whoever writes the first record of the commit stream decides. */
  const abort = async (commitStream: string): Promise<boolean> => {
    try {
      await connection.append(commitStream, noStream, [abortion(commitStream)]);
      return remember(commitStream, false);
    } catch (error) {
      if (!(error instanceof WrongRevision)) throw error;
      return (await look(commitStream)) ?? false;
    }
  };
  const settle = async (commitStream: string): Promise<boolean> => {
    for (let waited = 0; waited < patienceMs; waited += askEveryMs) {
      const outcome = await look(commitStream);
      if (outcome !== null) return outcome;
      await sleep(askEveryMs);
    }
    return abort(commitStream);
  };

  return {
    write: async (writes) => {
      const count = writes.reduce((sum, { events }) => sum + events.length, 0);
      if (count > mostEvents) throw new Error(`a command may append ${mostEvents} events at once, not ${count}`);
      const commitStream = commitStreamOf(writes);
      try {
        await inParallel(writes, reservationsAtOnce, (write) =>
          connection.append(write.stream, write.expected, [reservation(commitStream, write)]),
        );
      } catch (error) {
        // Others need not wait for what will not come; if this fails too, they find out by their own patience.
        await abort(commitStream).catch(() => undefined);
        throw error;
      }
      const commit = await connection.append(commitStream, noStream, commitment(commitStream, writes));
      remember(commitStream, true);
      return commit === null ? null : positionOf(commit, count - 1);
    },
    eventsIn: async (records) => {
      const parts = await Promise.all(
        records.map(async (record) => {
          const reserved = reservedBy(record);
          if (!reserved) return [plainEvent(record)];
          return (await settle(reserved.commitStream)) ? reserved.events : [];
        }),
      );
      return parts.flat();
    },
  };
};
