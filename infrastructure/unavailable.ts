import { Failure, StoreDown } from '../domain/failure.js';

/** What the caller of something that cannot work is told; a refusal that was meant as one is passed on. */
export const unavailable =
  (what: string) =>
  (cause: unknown): never => {
    if (cause instanceof Failure) throw cause;
    throw Object.assign(new StoreDown(`${what} does not work right now`), { cause });
  };
