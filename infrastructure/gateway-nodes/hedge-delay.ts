const factor = 3;
const weight = 0.1;
const maxMs = 5000;

/**
 * Creates a calculator for the delay before a second node is asked: three times the average latency of the method, but
 * at least `minMs` and at most 5 s.
 */
export const createHedgeDelay = (minMs: number) => {
  const averageMs = new Map<string, number>();
  return {
    hedgeMs: (method: string): number => Math.min(Math.max((averageMs.get(method) ?? 0) * factor, minMs), maxMs),
    note: (method: string, ms: number) => {
      const before = averageMs.get(method) ?? ms;
      averageMs.set(method, before + (ms - before) * weight);
    },
  };
};
