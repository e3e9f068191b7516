import type { FinalAnswers } from '../../../application/ports/gateway/final-answers.js';

/** Pause after a failed attempt to open the store. */
const restMs = 60_000;

/** Opens a store on first use, because most processes never use it. Retries a failed opening after a pause. */
export const openLazily = (open: () => Promise<FinalAnswers>, now = () => performance.now()): FinalAnswers => {
  let store: Promise<FinalAnswers> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  const opened = () => {
    if (store === null && now() - failedAt < restMs)
      throw new Error(`The store could not be opened. Next attempt within ${restMs / 1000} s.`);
    store ??= open().catch((error: unknown) => {
      store = null;
      failedAt = now();
      throw error;
    });
    return store;
  };
  return {
    find: async (chain, questions) => (await opened()).find(chain, questions),
    keep: async (chain, answers) => (await opened()).keep(chain, answers),
    close: async () => {
      const last = await store?.catch(() => null);
      await last?.close();
    },
  };
};
