import { testSystem } from './silent.js';

const againMs = 50;

/** Repeats the call until it succeeds, as a client would while processes restart; rethrows once patience runs out. */
export const insist = async <T>(ask: () => Promise<T>, patienceMs = 60_000): Promise<T> => {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await testSystem.sleep(againMs);
  }
};
