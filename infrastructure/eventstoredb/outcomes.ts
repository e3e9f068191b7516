import { setTimeout as sleep } from 'node:timers/promises';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import { noStream, type Patience, WrongRevision } from '../../application/ports/event-store.js';
import { StoreDown } from '../../domain/failure.js';
import type { Connection } from './connection.js';
import { abortion, protocol } from './records.js';

/**
 * Time after which a command that reserved but did not decide counts as dead; if it still lives, it loses and tries
 * again.
 */
const patienceMs = 1000;
const pollIntervalMs = 25;
/** Times that a live command's outcome is asked for at least, since a process that stood still has not watched it. */
const leastAsked = 10;
/** Times that an outcome is asked for which must be there, because a stream that should be empty was not. */
const maxAsked = 40;
const rememberedOutcomes = 10_000;

/** Outcomes of commands over several streams: true where the command was committed, false where it was aborted. */
export type Outcomes = {
  remember(commitStream: string, happened: boolean): boolean;
  /** Aborts a command unless it is decided already; resolves to the outcome. */
  abort(commitStream: string, patience?: Patience): Promise<boolean>;
  /** Waits for the outcome of a command that may still live, and aborts the command after that. */
  settle(commitStream: string, patience?: Patience): Promise<boolean>;
};

export const createOutcomes = (connection: Connection): Outcomes => {
  const outcomes = createBoundedCache<string, boolean>(rememberedOutcomes);
  const remember = (commitStream: string, happened: boolean) => {
    outcomes.set(commitStream, happened);
    return happened;
  };

  const look = async (commitStream: string, patience?: Patience): Promise<boolean | null> => {
    const known = outcomes.get(commitStream);
    if (known !== undefined) return known;
    const [first] = await connection.readStream(commitStream, { count: 1, patience });
    return first ? remember(commitStream, first.type === protocol.committed) : null;
  };
  /** Asks for an outcome that was decided, but that a node which is behind may not show yet. */
  const decided = async (commitStream: string, patience?: Patience): Promise<boolean> => {
    for (let asked = 0; asked < maxAsked; asked++) {
      const outcome = await look(commitStream, patience);
      if (outcome !== null) return outcome;
      await sleep(pollIntervalMs);
    }
    throw new StoreDown('the event store does not tell whether a command was committed');
  };
  /** Writes Aborted unless the outcome is already decided: the first record of a commit stream decides. */
  const abort = async (commitStream: string, patience?: Patience): Promise<boolean> => {
    try {
      await connection.append(commitStream, noStream, [abortion(commitStream)], patience);
      return remember(commitStream, false);
    } catch (error) {
      if (!(error instanceof WrongRevision)) throw error;
      return decided(commitStream, patience);
    }
  };
  const settle = async (commitStream: string, patience?: Patience): Promise<boolean> => {
    const until = performance.now() + patienceMs;
    for (let asked = 0; asked < leastAsked || performance.now() < until; asked++) {
      const outcome = await look(commitStream, patience);
      if (outcome !== null) return outcome;
      await sleep(pollIntervalMs);
    }
    return abort(commitStream, patience);
  };

  return { remember, abort, settle };
};
