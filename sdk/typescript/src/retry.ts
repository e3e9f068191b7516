import { type ConnectionError, ProblemError } from './errors.js';

const firstDelayMs = 200;
const maxDelayMs = 5000;
/** Longest `retry-after` that a call waits for, in seconds. After a longer one the call fails at once. */
const maxRetryAfter = 30;

/** Failed attempt, with the `retry-after` of its answer in seconds. */
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

/** Half of the exponential delay is random, so that clients that failed together do not return together. */
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

/** Repeats an attempt that may succeed later, after a growing delay or the `retry-after` of the answer. */
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
