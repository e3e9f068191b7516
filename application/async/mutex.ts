/** Creates a function that runs tasks one at a time, in the order of its calls. */
export const createMutex = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
};

/**
 * Creates a function that runs tasks with the same key one at a time. Tasks with different keys run concurrently.
 */
export const createKeyedMutex = () => {
  const turns = new Map<string, { readonly turn: ReturnType<typeof createMutex>; waiting: number }>();
  const inTurn = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const own = turns.get(key) ?? { turn: createMutex(), waiting: 0 };
    turns.set(key, own);
    own.waiting++;
    try {
      return await own.turn(work);
    } finally {
      own.waiting--;
      if (own.waiting === 0) turns.delete(key);
    }
  };
  return Object.assign(inTurn, { isBusy: (key: string) => turns.size > 0 && turns.has(key) });
};
