import type { Deadline } from '../../application/ports/event-store.js';
import { TimedOut, withDeadline } from '../deadline.js';
import type { Deadlines } from '../deadlines.js';
import { unavailable } from '../unavailable.js';

/** Assumed minimum throughput in bytes per ms: the more bytes a call transfers, the more time it gets. */
const bytesPerMs = 1000;

/** Creates a deadline, which passes when no call that shares it has been answered for `deadlineMs`. */
export const createDeadline = ({ deadlineMs }: Deadlines): Deadline => {
  let until = performance.now() + deadlineMs;
  return {
    left: () => until - performance.now(),
    renew: () => {
      until = performance.now() + deadlineMs;
    },
  };
};

/** One attempt of a call. */
export type Attempt = {
  /** Number of earlier attempts. */
  readonly tried: number;
  /** Milliseconds left for this attempt and all later ones. */
  readonly leftMs: number;
  /**
   * Resolves or rejects like the work, or rejects when the attempt times out. Also resolves when the work of an earlier
   * attempt succeeds late, because a busy store answers the first request first.
   */
  inTime<T>(work: Promise<T>): Promise<T>;
};

type Terms = {
  /** Returns whether an error is permanent, so that another attempt is useless. */
  readonly isFinal: (error: unknown) => boolean;
  readonly deadline?: Deadline | undefined;
  /** Bytes that the call transfers. */
  readonly bytes?: number;
};

/** Call with the state that all its attempts share. */
type Run<T> = Required<Terms> & {
  readonly deadline: Deadline;
  /** True when the deadline had passed before the first attempt. */
  readonly isSpent: boolean;
  /** Work of the earlier attempts, which may still succeed. */
  readonly earlier: Promise<unknown>[];
  work(attempt: Attempt): Promise<T>;
};

const onlySuccess = <T>(work: Promise<T>): Promise<T> => work.catch(() => new Promise<never>(() => undefined));

/**
 * Creates a function that retries a call until success, a permanent error or the deadline, after which the store counts
 * as unavailable. Success and a permanent error are both answers, so both renew the deadline for calls that share it.
 */
export const createRetry = (deadlines: Deadlines) => {
  const { deadlineMs, timeoutMs, minTimeoutMs, pauseMs } = deadlines;

  /**
   * Ends an attempt after a time without any answer. While other calls that share the deadline succeed, the server is
   * busy rather than down, and a retry would only add to its load.
   */
  const inTimeOf =
    (ms: number, deadline: Deadline, earlier: Promise<unknown>[]) =>
    <T>(work: Promise<T>): Promise<T> => {
      const started = performance.now();
      const silentMs = () => Math.min(performance.now() - started, deadlineMs - deadline.left());
      const either = Promise.race([work, ...earlier.map(onlySuccess)]) as Promise<T>;
      earlier.push(work);
      return withDeadline(either, ms, undefined, () => ms - silentMs());
    };

  /** Runs an attempt. Resolves to its result, or to null when the call may be retried. */
  const attemptOf = async <T>(run: Run<T>, tried: number): Promise<{ readonly result: T } | null> => {
    const { isFinal, deadline, bytes, isSpent, earlier, work } = run;
    const leftMs = Math.max(minTimeoutMs, deadline.left());
    const ms = Math.min(timeoutMs * 2 ** tried, leftMs) + bytes / bytesPerMs;
    try {
      const result = await work({ tried, leftMs, inTime: inTimeOf(ms, deadline, earlier) });
      deadline.renew();
      return { result };
    } catch (error) {
      if (isFinal(error)) {
        deadline.renew();
        throw error;
      }
      // Two attempts are the minimum, because the process may have been suspended during the first one.
      const hasTried = tried > 0 || isSpent;
      if (hasTried && deadline.left() < pauseMs + minTimeoutMs)
        unavailable('Event store')(new TimedOut(deadlineMs, { cause: error }));
      return null;
    }
  };

  return async <T>(
    { isFinal, deadline = createDeadline(deadlines), bytes = 0 }: Terms,
    work: (attempt: Attempt) => Promise<T>,
  ): Promise<T> => {
    const run: Run<T> = { isFinal, deadline, bytes, isSpent: deadline.left() <= 0, earlier: [], work };
    for (let tried = 0; ; tried++) {
      const done = await attemptOf(run, tried);
      if (done) return done.result;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
};
export type Retry = ReturnType<typeof createRetry>;
