import { Failure, StoreDown } from '../domain/failure.js';
import { TimedOut } from './deadline.js';

/** Returns a handler that turns an error of a dependency into `StoreDown`. A `Failure` passes through unchanged. */
export const unavailable =
  (what: string) =>
  (cause: unknown): never => {
    if (cause instanceof Failure) throw cause;
    const reason = cause instanceof TimedOut ? ` (${cause.message})` : '';
    throw Object.assign(new StoreDown(`${what} unavailable${reason}. Retry later.`), { cause });
  };
