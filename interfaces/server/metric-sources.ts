import type { Counter, Gauge } from 'prom-client';
import { createSingleFlight } from '../../application/async/single-flight.js';
import type { System } from '../../application/ports/system.js';

export type MakeGauge = (name: string, help: string, labelNames?: string[]) => Gauge;
export type MakeCounter = (name: string, help: string, labelNames?: string[]) => Counter;

/** Store or queue that a scrape reads. */
export type MetricSource = {
  readonly name: string;
  /** Reads everything first and returns the function that sets the gauges, so that overlapping scrapes add up nothing. */
  read(): Promise<() => void>;
};

/** Time after which an unanswered read is given up, so that a lost request does not silence its source for good. */
const abandonMs = 30_000;

/** Waits at most `ms`, and one more turn of the event loop for answers that arrived while the process stood still. */
const settlesWithin = async (work: Promise<unknown>, ms: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => setImmediate(() => resolve(false)), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Returns the function that refreshes the gauges of all sources at once. Each source succeeds or fails by itself; one
 * that fails keeps its last values, and two gauges tell that it is away and how old the values are.
 */
export const createSourceReader = (
  sources: readonly MetricSource[],
  gauge: MakeGauge,
  { system, timeoutMs }: { readonly system: System; readonly timeoutMs: number },
): (() => Promise<void>) => {
  const up = gauge('chainfold_metrics_source_up', '1 when a source of metrics answered the scrape.', ['source']);
  const age = gauge('chainfold_metrics_source_age_seconds', 'Age of the values read last from a source.', ['source']);
  const flights = createSingleFlight<void>(system.now);
  const readAt = new Map<string, number>();
  const failing = new Set<string>();

  const read = async ({ name, read: readSource }: MetricSource) => {
    const startedAt = system.now();
    const show = await readSource();
    // A read that was given up may still answer after its successor.
    if (startedAt < (readAt.get(name) ?? 0)) return;
    show();
    readAt.set(name, startedAt);
  };

  const note = (source: string, reason: string | null) => {
    if (reason !== null && !failing.has(source)) system.log.warn({ source, reason }, 'Metrics source is unavailable');
    if (reason === null) failing.delete(source);
    else failing.add(source);
    up.set({ source }, reason === null ? 1 : 0);
    const last = readAt.get(source);
    if (last !== undefined) age.set({ source }, Math.max(0, (system.now() - last) / 1000));
  };

  const refresh = async (source: MetricSource) => {
    const work = flights.run(source.name, undefined, () => read(source), abandonMs);
    try {
      const isInTime = await settlesWithin(work, timeoutMs);
      note(source.name, isInTime ? null : `no answer within ${timeoutMs} ms`);
    } catch (error) {
      note(source.name, String(error));
    }
  };

  return async () => void (await Promise.all(sources.map(refresh)));
};
