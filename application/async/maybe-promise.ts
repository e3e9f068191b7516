/** Value that may already be available, so that callers can continue without waiting for a microtask. */
export type MaybePromise<T> = T | Promise<T>;

/** Runs `next` synchronously when the value is already available, so that a cache hit costs no microtask. */
export const mapMaybe = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/**
 * Calls `done` with the value of `work`, or `failed` with the error. Does so synchronously when the value is already
 * available.
 */
export const settle = <T>(work: () => MaybePromise<T>, done: (value: T) => void, failed: (error: unknown) => void) => {
  let value: MaybePromise<T>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? void value.then(done, failed) : done(value);
};
