const factor = 3;
const weight = 0.1;
const longestMs = 5000;

/** How long an answer may take before another node is asked as well: longer where answers usually do. */
export const createPatience = (shortestMs: number) => {
  const usual = new Map<string, number>();
  return {
    hedgeMs: (method: string): number => Math.min(Math.max((usual.get(method) ?? 0) * factor, shortestMs), longestMs),
    note: (method: string, ms: number) => {
      const before = usual.get(method) ?? ms;
      usual.set(method, before + (ms - before) * weight);
    },
  };
};
