import { testSystem } from '../support/silent.js';

const againMs = 50;

/** Asked again until it is done, as a client would while processes die and come back; what never works is thrown. */
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
