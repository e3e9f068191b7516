import { Failure, StoreDown } from '../domain/failure.js';

/** Turns an error of a dependency into `StoreDown`; a deliberate `Failure` passes through unchanged. */
export const unavailable =
  (what: string) =>
  (cause: unknown): never => {
    if (cause instanceof Failure) throw cause;
    throw Object.assign(new StoreDown(`${what} does not work right now`), { cause });
  };
