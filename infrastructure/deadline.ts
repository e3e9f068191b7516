/** Milliseconds by which a timer may fire late. A greater delay means that the process was suspended. */
const suspendedMs = 100;
const maxExtensions = 3;
/** Milliseconds by which a timeout is extended after a suspension, to read the answers that arrived meanwhile. */
const graceMs = 1000;

/** Thrown for work that did not end in time. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
  constructor(ms: number, options?: ErrorOptions) {
    super(`timed out after ${Math.round(ms) / 1000} s`, options);
  }
}

/**
 * Resolves or rejects like `work`, or rejects with TimedOut after `ms`. Calls `release` on a timeout, to free resources
 * that the work still holds. When `ms` have passed, `leftMs` is called: a value above 0 extends the wait by that many
 * milliseconds.
 */
export const withDeadline = async <T>(
  work: Promise<T>,
  ms: number,
  release: () => void = () => undefined,
  leftMs: () => number = () => 0,
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  let extensions = 0;
  const late = new Promise<never>((_, reject) => {
    const checkAfter = (waitMs: number) => {
      const due = performance.now() + waitMs;
      timer = setTimeout(() => check(due), waitMs);
    };
    const check = (due: number) => {
      // Answers may be waiting in the socket if the process was suspended, so the timeout is extended.
      const wasSuspended = performance.now() - due > suspendedMs;
      if (wasSuspended && extensions++ < maxExtensions) return checkAfter(graceMs);
      const left = leftMs();
      if (left > 0) return checkAfter(Math.ceil(left));
      // Released work may reject at once. Rejecting first keeps the timeout as the reason.
      reject(new TimedOut(ms));
      release();
    };
    checkAfter(ms);
  });
  // Abandoned work may still reject later, which must not become an unhandled rejection.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
