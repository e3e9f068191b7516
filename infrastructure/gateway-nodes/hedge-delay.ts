const factor = 3;
const weight = 0.1;
const maxMs = 5000;

/** Chooses after how long a second node is asked as well: a multiple of the usual latency of the method, within bounds. */
export const createPatience = (shortestMs: number) => {
  const usual = new Map<string, number>();
  return {
    hedgeMs: (method: string): number => Math.min(Math.max((usual.get(method) ?? 0) * factor, shortestMs), maxMs),
    note: (method: string, ms: number) => {
      const before = usual.get(method) ?? ms;
      usual.set(method, before + (ms - before) * weight);
    },
  };
};
