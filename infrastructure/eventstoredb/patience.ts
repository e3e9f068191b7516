import { Failure } from '../../domain/failure.js';

/** A command waits no longer than this for the store; a single try gets a part of it, so that a lost answer is retried. */
const patienceMs = 4500;
export const tryMs = 1500;
const pauseMs = 100;

const unavailable = (cause: unknown): never => {
  throw Object.assign(new Failure('UNAVAILABLE', 'the event store does not work right now'), { cause });
};

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
      if (Date.now() + pauseMs + tryMs > until) return unavailable(error);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
};

/** Promises that the client itself leaves without anybody to hear of their failure when a connection breaks. */
export const guardAgainstClient = () => {
  const isClients = (reason: unknown) => {
    const { type, code, details } = (reason ?? {}) as { type?: unknown; code?: unknown; details?: unknown };
    return typeof type === 'string' || (typeof code === 'number' && typeof details === 'string');
  };
  const guard = (reason: unknown) => {
    if (!isClients(reason)) throw reason;
  };
  process.on('unhandledRejection', guard);
  return () => process.off('unhandledRejection', guard);
};
