/** What may be there at once; then nobody waits for it, not even a turn. */
export type Soon<T> = T | Promise<T>;

/** What follows from it, at once if it is there. */
export const after = <T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value);
