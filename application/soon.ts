/** What may be there at once; then nobody waits for it, not even a turn. */
export type Soon<T> = T | Promise<T>;

/** What follows from it, at once if it is there. */
export const after = <T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Goes on with what work brings, or with why it brings nothing, at once if it is there. */
export const settle = <T>(work: () => Soon<T>, done: (value: T) => void, failed: (error: unknown) => void) => {
  let value: Soon<T>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? void value.then(done, failed) : done(value);
};
