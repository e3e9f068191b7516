import { createWaiter, type Waiter } from '../../application/async/cancellation.js';

/** Does what takes a waiter, who leaves when the time is up. */
export const limited = async <T>(ms: number, work: (waiter: Waiter) => Promise<T>): Promise<T> => {
  const waiter = createWaiter();
  const timer = setTimeout(waiter.leave, ms).unref();
  try {
    return await work(waiter);
  } finally {
    clearTimeout(timer);
  }
};
