import { type Cancellation, createCancellation } from '../../application/async/cancellation.js';

/**
 * Runs the work with a cancellation that fires after `ms` milliseconds. The work itself must reject once the
 * cancellation fires.
 */
export const withTimeout = async <T>(ms: number, work: (cancellation: Cancellation) => Promise<T>): Promise<T> => {
  const cancellation = createCancellation();
  const timer = setTimeout(cancellation.cancel, ms).unref();
  try {
    return await work(cancellation);
  } finally {
    clearTimeout(timer);
  }
};
