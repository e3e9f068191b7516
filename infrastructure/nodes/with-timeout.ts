import { type Cancellation, createCancellation } from '../../application/async/cancellation.js';

/** Runs work for a cancellation who leaves when the time is up; the work itself rejects then. */
export const withTimeout = async <T>(ms: number, work: (cancellation: Cancellation) => Promise<T>): Promise<T> => {
  const cancellation = createCancellation();
  const timer = setTimeout(cancellation.cancel, ms).unref();
  try {
    return await work(cancellation);
  } finally {
    clearTimeout(timer);
  }
};
