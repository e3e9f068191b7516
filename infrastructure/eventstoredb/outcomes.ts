import { setTimeout as sleep } from 'node:timers/promises';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import { type Deadline, noStream, WrongRevision } from '../../application/ports/event-store.js';
import { StoreDown } from '../../domain/failure.js';
import type { Connection } from './connection.js';
import { abortRecord, protocol } from './records.js';

const pollIntervalMs = 25;
/**
 * Minimum number of polls before a command counts as undecided. Elapsed time alone proves nothing: the process may have
 * been suspended meanwhile.
 */
const minPolls = 10;
const rememberedOutcomes = 10_000;

/** Outcomes of commands over several streams: true when the command was committed, false when it was aborted. */
export type Outcomes = {
  remember(commitStream: string, happened: boolean): boolean;
  /** Aborts a command unless its outcome is already decided. Resolves to the outcome. */
  abort(commitStream: string, deadline?: Deadline): Promise<boolean>;
  /** Waits for the outcome of a command that may still be running, and aborts the command after a timeout. */
  settle(commitStream: string, deadline?: Deadline): Promise<boolean>;
};

export const createOutcomes = (connection: Connection): Outcomes => {
  const { outcomeMs, decidedMs } = connection.deadlines;
  const outcomes = createBoundedCache<string, boolean>(rememberedOutcomes);
  const remember = (commitStream: string, happened: boolean) => {
    outcomes.set(commitStream, happened);
    return happened;
  };

  const readOutcome = async (commitStream: string, deadline?: Deadline): Promise<boolean | null> => {
    const known = outcomes.get(commitStream);
    if (known !== undefined) return known;
    const [first] = await connection.readStream(commitStream, { count: 1, deadline });
    return first ? remember(commitStream, first.type === protocol.committed) : null;
  };
  /** Polls for an outcome for `ms`; null when it is still undecided. */
  const pollOutcome = async (commitStream: string, ms: number, deadline?: Deadline): Promise<boolean | null> => {
    const until = performance.now() + ms;
    for (let polls = 0; polls < minPolls || performance.now() < until; polls++) {
      const outcome = await readOutcome(commitStream, deadline);
      if (outcome !== null) return outcome;
      await sleep(pollIntervalMs);
    }
    return null;
  };
  /** Polls for an outcome that was decided, but that a lagging node may not show yet. */
  const pollDecided = async (commitStream: string, deadline?: Deadline): Promise<boolean> => {
    const outcome = await pollOutcome(commitStream, decidedMs, deadline);
    if (outcome === null)
      throw new StoreDown(
        'Event store unavailable (could not determine whether a command was committed). Retry later.',
      );
    return outcome;
  };
  /** Appends Aborted to the commit stream, whose first record decides the outcome. */
  const abort = async (commitStream: string, deadline?: Deadline): Promise<boolean> => {
    try {
      await connection.append(commitStream, noStream, [abortRecord(commitStream)], deadline);
      return remember(commitStream, false);
    } catch (error) {
      if (!(error instanceof WrongRevision)) throw error;
      return pollDecided(commitStream, deadline);
    }
  };
  /**
   * Aborts a command that is not decided in time. If the process of the command is still alive, the command fails and
   * is retried.
   */
  const settle = async (commitStream: string, deadline?: Deadline): Promise<boolean> =>
    (await pollOutcome(commitStream, outcomeMs, deadline)) ?? abort(commitStream, deadline);

  return { remember, abort, settle };
};
