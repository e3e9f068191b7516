import type { Patience } from '../../application/ports/event-store.js';
import { unavailable } from '../unavailable.js';

/** Longest wait for the store since its last answer; a single try gets a part of it, so that a lost answer is retried. */
const patienceMs = 4500;
/** Length of a first try; a call that moves many bytes gets more, and so does one that is tried again. */
export const tryMs = 1500;
const bytesPerMs = 1000;
const shortestTryMs = 1000;
const pauseMs = 100;
const maxStandstills = 3;

/** Starts a patience, which ends when no call that shares it has succeeded for a while. */
export const createPatience = (): Patience => {
  let until = performance.now() + patienceMs;
  return {
    left: () => until - performance.now(),
    renew: () => {
      until = performance.now() + patienceMs;
    },
  };
};

/** Resolves or rejects like the work, or rejects and calls `release` when the time of a try is over. */
export type InTime = <T>(work: Promise<T>, release?: () => void) => Promise<T>;

/**
 * Bounds a try by the time without any answer: while other calls that share the patience succeed, the server is busy
 * rather than away, and asking it again would only add to its work.
 */
const inTimeOf =
  (ms: number, patience: Patience): InTime =>
  async (work, release = () => undefined) => {
    const started = performance.now();
    let timer: NodeJS.Timeout | undefined;
    let standstills = 0;
    const late = new Promise<never>((_, reject) => {
      const lookAfter = (waitMs: number) => {
        const due = performance.now() + waitMs;
        timer = setTimeout(() => look(due), waitMs);
      };
      const look = (due: number) => {
        const now = performance.now();
        const silentMs = Math.min(now - started, patienceMs - patience.left());
        // A process that stood still has answers to read before it can tell that none came.
        if (now - due > pauseMs && standstills++ < maxStandstills) return lookAfter(shortestTryMs);
        if (silentMs < ms) return lookAfter(Math.ceil(ms - silentMs));
        release();
        reject(new Error(`no answer within ${Math.round(ms)} ms`));
      };
      lookAfter(ms);
    });
    // Abandoned work may still reject later, when nobody awaits it any more.
    work.catch(() => undefined);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  };

type Terms = {
  /** Tells errors that another try cannot change. */
  readonly isFinal: (error: unknown) => boolean;
  readonly patience?: Patience | undefined;
  /** Bytes that a call moves. */
  readonly bytes?: number;
};

/**
 * Retries until success, a final error or the end of the patience, when the store counts as unavailable. A final error
 * is an answer too, so both renew the patience for other calls that share it.
 */
export const retrying = async <T>(
  { isFinal, patience = createPatience(), bytes = 0 }: Terms,
  work: (tried: number, inTime: InTime) => Promise<T>,
): Promise<T> => {
  const isSpent = patience.left() <= 0;
  for (let tried = 0; ; tried++) {
    try {
      const ms = Math.max(shortestTryMs, Math.min(tryMs * 2 ** tried, patience.left())) + bytes / bytesPerMs;
      const result = await work(tried, inTimeOf(ms, patience));
      patience.renew();
      return result;
    } catch (error) {
      if (isFinal(error)) {
        patience.renew();
        throw error;
      }
      // A process that stood still during its first try has asked the store only once.
      const hasTried = tried > 0 || isSpent;
      if (hasTried && patience.left() < pauseMs + shortestTryMs) return unavailable('the event store')(error);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
};
