/** Functions that would make a simulation depend on real timers, the real clock or real randomness. */
const ways = [
  [globalThis, 'setTimeout'],
  [globalThis, 'setInterval'],
  [Date, 'now'],
  [Math, 'random'],
] as const;

/**
 * Runs work that must not use real time or randomness. Calls `report` with the name of each such function that the work
 * calls.
 */
export const withoutRealWorld = async <T>(work: () => Promise<T>, report: (name: string) => void): Promise<T> => {
  const before = ways.map(([owner, name]) => Reflect.get(owner, name) as (...given: unknown[]) => unknown);
  for (const [i, [owner, name]] of ways.entries())
    Reflect.set(owner, name, (...given: unknown[]) => {
      report(name);
      return Reflect.apply(before[i] as never, owner, given);
    });
  try {
    return await work();
  } finally {
    for (const [i, [owner, name]] of ways.entries()) Reflect.set(owner, name, before[i]);
  }
};
