import { largest, median } from './figures.js';

export type Measured = { readonly value: number; readonly spread: number };

/** Returns the median and the relative spread around it. */
export const summarize = (values: readonly number[]): Measured => {
  const value = median(values);
  const smallest = -largest(values.map((one) => -one));
  return { value, spread: (largest(values) - smallest) / 2 / value };
};

/**
 * Measures the sides in turn, so that other load on the machine affects all sides equally. Runs one warm-up round
 * first. A side is null if it is not available.
 */
export const inTurn = async <K extends string>(
  sides: Readonly<Record<K, (() => Promise<number>) | null>>,
  rounds = 5,
): Promise<{ readonly [N in K]: Measured }> => {
  const present = (Object.entries(sides) as [K, (() => Promise<number>) | null][]).filter(([, side]) => side !== null);
  const measure = present as [K, () => Promise<number>][];
  const values = new Map<K, number[]>(measure.map(([name]) => [name, []]));
  for (const [, once] of measure) await once();
  for (let i = 0; i < rounds; i++) for (const [name, once] of measure) values.get(name)?.push(await once());
  return Object.fromEntries(measure.map(([name]) => [name, summarize(values.get(name) ?? [])])) as {
    [N in K]: Measured;
  };
};

/** Runs `work`, which does `count` steps, and returns the steps per second. */
export const perSecond = async (count: number, work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (count * 1000) / (performance.now() - started);
};
