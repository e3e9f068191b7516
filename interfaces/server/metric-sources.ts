import type { Counter, Gauge } from 'prom-client';
import { createSingleFlight } from '../../application/async/single-flight.js';
import type { System } from '../../application/ports/system.js';

export type MakeGauge = (name: string, help: string, labelNames?: string[]) => Gauge;
export type MakeCounter = (name: string, help: string, labelNames?: string[]) => Counter;

/** Store or queue from which a scrape reads values. */
export type MetricSource = {
  readonly name: string;
  /**
   * Reads all values. Returns a function that then sets all gauges in one step, so that overlapping scrapes do not mix
   * their values.
   */
  read(): Promise<() => void>;
};

/**
 * Time after which a read without a response is abandoned, so that a lost request does not block further reads of its
 * source.
 */
const abandonMs = 30_000;

/**
 * Returns true if the work ends within `ms`. Waits for one more event-loop turn, in case the response arrived in time
 * but the process was too busy to handle it.
 */
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
 * Returns the function that reads all sources at the same time and updates their gauges. A source that fails does not
 * affect other sources: its gauges keep their last values, and two further gauges show that the source is down and how
 * old its values are.
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
    // Ignores the values of an abandoned read that ends after a read that was started later.
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
