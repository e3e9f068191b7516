import type { FinalAnswers } from '../../../application/ports/gateway/final-answers.js';

/** Time without another attempt after the store could not be opened. */
const restMs = 60_000;

/** Opens a store when it is first used, since most processes never use it; one that cannot be opened is tried again later. */
export const openedLater = (open: () => Promise<FinalAnswers>, now = () => performance.now()): FinalAnswers => {
  let store: Promise<FinalAnswers> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  const opened = () => {
    if (store === null && now() - failedAt < restMs) throw new Error('the store could not be opened');
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
