import { createWaiter, type Waiter } from '../../application/async/cancellation.js';

/** Runs work for a waiter who leaves when the time is up; the work itself rejects then. */
export const withTimeout = async <T>(ms: number, work: (waiter: Waiter) => Promise<T>): Promise<T> => {
  const waiter = createWaiter();
  const timer = setTimeout(waiter.leave, ms).unref();
  try {
    return await work(waiter);
  } finally {
    clearTimeout(timer);
  }
};
