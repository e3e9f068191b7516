import { isCommandError } from '@eventstore/db-client';
import { unavailable } from '../unavailable.js';

/** A command waits no longer than this for the store; a single try gets a part of it, so that a lost answer is retried. */
const patienceMs = 4500;
export const tryMs = 1500;
const pauseMs = 100;

/** Tries again until it is clear, within the patience of a caller; a clear refusal is passed on at once. */
export const retrying = async <T>(
  isClear: (error: unknown) => boolean,
  work: (tried: number) => Promise<T>,
): Promise<T> => {
  const until = Date.now() + patienceMs;
  for (let tried = 0; ; tried++) {
    try {
      return await work(tried);
    } catch (error) {
      if (isClear(error)) throw error;
      if (Date.now() + pauseMs + tryMs > until) return unavailable('the event store')(error);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
};

/** Promises that the client itself leaves without anybody to hear of their failure when a connection breaks. */
export const guardAgainstClient = () => {
  const isClients = (reason: unknown) => {
    const { code, details } = (reason ?? {}) as { code?: unknown; details?: unknown };
    return (
      (reason instanceof Error && isCommandError(reason)) || (typeof code === 'number' && typeof details === 'string')
    );
  };
  const guard = (reason: unknown) => {
    if (!isClients(reason)) throw reason;
  };
  process.on('unhandledRejection', guard);
  return () => process.off('unhandledRejection', guard);
};
