/** Value that may already be there, so that callers can go on without waiting for a turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** Runs `next` synchronously when the value is already there, so that a cache hit costs no microtask. */
export const mapMaybe = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Calls `done` with the value of `work` or `failed` with the reason, synchronously when the value is already there. */
export const settle = <T>(work: () => MaybePromise<T>, done: (value: T) => void, failed: (error: unknown) => void) => {
  let value: MaybePromise<T>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? void value.then(done, failed) : done(value);
};
