import { Gauge, Histogram, type LabelValues, type Registry } from 'prom-client';
import type { App } from '../../application/app.js';
import type { Measurements } from '../../application/processes/measurements.js';

/** Histogram buckets in seconds for work that takes from milliseconds to seconds. */
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Histogram buckets in seconds for a wait that may take from milliseconds to hours. */
const waits = [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 900, 3600];
/**
 * Histogram buckets in seconds for the age of a block at its confirmation. Depending on the chain, a block is produced
 * every second to every ten minutes, and the number of blocks that confirm a block varies.
 */
const confirmations = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 3600, 14_400];

type Row<Labels> = {
  readonly name: string;
  readonly help: string;
  readonly labels: (keyof Labels & string)[];
  /** Upper bounds of the buckets of a histogram. Absent for a gauge, which shows the last value. */
  readonly bounds?: number[];
  /** Label values of series that exist from the start with the value 0, so that an alert sees their first increase. */
  readonly first?: Labels[];
};
const rows: { readonly [Name in keyof Measurements]: Row<Measurements[Name]> } = {
  append: {
    name: 'chainfold_event_append_seconds',
    help: 'Time to append events to the event store, by outcome: stored, conflict or failed.',
    labels: ['outcome'],
    bounds: seconds,
    first: [{ outcome: 'stored' }, { outcome: 'conflict' }, { outcome: 'failed' }],
  },
  projection: {
    name: 'chainfold_projection_latency_seconds',
    help: 'Time from the commit of an event until the read models include it, for the oldest event of each batch.',
    labels: [],
    bounds: waits,
  },
  delivery: {
    name: 'chainfold_delivery_attempt_seconds',
    help: 'Duration of an attempt to deliver a webhook, by outcome and class of the HTTP status.',
    labels: ['outcome', 'status'],
    bounds: seconds,
    first: [
      { outcome: 'completed', status: '2xx' },
      { outcome: 'retrying', status: 'none' },
      { outcome: 'failed', status: 'none' },
    ],
  },
  settlement: {
    name: 'chainfold_settlement_age_seconds',
    help: 'Age of a block when its transfers to a wallet are confirmed.',
    labels: ['chain'],
    bounds: confirmations,
  },
  unsealed: {
    name: 'chainfold_audit_unsealed_seconds',
    help: 'Age of the oldest event that no seal covers, when the sealer of this process last looked (every minute).',
    labels: [],
  },
};

/** Registers one metric. Returns the function that adds a measurement to it. */
const register = <Labels extends object>(
  { bounds, labels, first = [], name, help }: Row<Labels>,
  registry: Registry,
) => {
  const shared = { name, help, labelNames: labels, registers: [registry] };
  if (!bounds) {
    const gauge = new Gauge(shared);
    return (given: Labels, value: number) => gauge.set(given as LabelValues<string>, value);
  }
  const histogram = new Histogram({ ...shared, buckets: bounds });
  for (const one of first) histogram.zero(one as LabelValues<string>);
  return (given: Labels, value: number) => histogram.observe(given as LabelValues<string>, value);
};

/** Registers the metrics of the work that this process measures. */
export const registerMeasurements = (app: App, registry: Registry): void => {
  const metrics = new Map(
    Object.entries(rows).map(([name, row]) => [name, register(row as Row<object>, registry)] as const),
  );
  app.onMeasurement((name, value, labels) => metrics.get(name)?.(labels, value));
};
