import { type ConnectionError, ProblemError } from './errors.js';

const firstDelayMs = 200;
const maxDelayMs = 5000;
/**
 * Maximum `retry-after` in seconds for which a call waits. If the service sends a larger value, the call fails at once.
 */
const maxRetryAfter = 30;

/** Failed attempt. `retryAfter` is the `retry-after` header of the response in seconds; undefined if there is none. */
export class AttemptError extends Error {
  readonly reason: ProblemError | ConnectionError;
  readonly retryAfter: number | undefined;
  constructor(reason: ProblemError | ConnectionError, retryAfter?: number) {
    super(reason.message);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

const isRetryable = ({ reason, retryAfter = 0 }: AttemptError) => {
  if (retryAfter > maxRetryAfter) return false;
  if (reason instanceof ProblemError) return reason.problem.retryable;
  return reason.status === undefined || reason.status >= 500;
};

/**
 * Returns the delay before a retry: `retry-after` if there is one, else an exponential backoff. Half of the backoff is
 * random, so that the retries of many clients spread.
 */
const delayMs = ({ retryAfter }: AttemptError, attempt: number) =>
  retryAfter === undefined
    ? Math.min(maxDelayMs, firstDelayMs * 2 ** attempt) * (0.5 + Math.random() / 2)
    : retryAfter * 1000;

const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });

/** Retries an attempt that may succeed later, after exponential backoff or the `retry-after` of the response. */
export const withRetries = async <T>(
  maxRetries: number,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> => {
  for (let count = 0; ; count++)
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof AttemptError)) throw error;
      if (count >= maxRetries || !isRetryable(error)) throw error.reason;
      await pause(delayMs(error, count), signal);
    }
};
