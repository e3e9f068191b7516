/** What was asked for lately, by number or name; of what is final there is nothing to be asked again. */
export type Recent<T> = {
  get(key: number | string, ask: () => Promise<T>): Promise<T>;
  put(key: number | string, value: T): void;
  peek(key: number | string): T | undefined;
  forget(key: number | string): void;
};

export const createRecent = <T>(most: number): Recent<T> => {
  const kept = new Map<number | string, T>();
  const put = (key: number | string, value: T) => {
    kept.delete(key);
    kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
  };
  return {
    put,
    peek: (key) => kept.get(key),
    forget: (key) => void kept.delete(key),
    get: async (key, ask) => {
      const known = kept.get(key);
      if (known !== undefined) return known;
      const found = await ask();
      put(key, found);
      return found;
    },
  };
};
