import { existsSync } from 'node:fs';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../../application/app.js';
import { chainsWith } from '../../application/processes/service-process.js';
import type { Sockets } from '../gateway/websocket.js';
import type { ServerHooks } from '../http/operations.js';
import { createDiskSource } from './disk-metrics.js';
import { createFollowerMetrics } from './follower-metrics.js';
import { createGatewayMetrics } from './gateway-metrics.js';
import { registerMeasurements } from './measured-metrics.js';
import { createSourceReader, type MakeGauge, type MetricSource } from './metric-sources.js';
import { createRoleSource } from './role-metrics.js';

const noSockets = () => ({ connections: 0, subscriptions: 0, filters: 0, waiting: 0 });

const createOperationTimes = (registry: Registry): ServerHooks['observe'] => {
  const times = new Histogram({
    name: 'chainfold_operation_seconds',
    help: 'Time to answer an operation.',
    labelNames: ['api', 'operation', 'status'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const series = new Map<string, ReturnType<typeof times.labels>>();
  return ({ path, operation, variant }, status, seconds) => {
    const name = `${status} ${path}`;
    // Caches the series, because looking it up by its labels takes longer than observing the value.
    const found = series.get(name) ?? times.labels({ api: variant.segment, operation: operation.name, status });
    series.set(name, found);
    found.observe(seconds);
  };
};

const createProjectionSource = (app: App, gauge: MakeGauge): MetricSource => {
  const of = ['projection'];
  const position = gauge(
    'chainfold_projection_position',
    'Position of the last event that the projection applied.',
    of,
  );
  const lag = gauge('chainfold_projection_lag_events', 'Events not yet applied.', of);
  const lagSeconds = gauge('chainfold_projection_lag_seconds', 'Age of the oldest event not yet applied.', of);
  const stopped = gauge(
    'chainfold_projection_stopped',
    '1 if the projection stopped at an event that it cannot apply.',
    of,
  );
  return {
    name: 'projections',
    read: async () => {
      const projections = await app.status.projections();
      return () => {
        for (const { name: projection, ...status } of projections) {
          position.set({ projection }, status.position);
          lag.set({ projection }, status.lag);
          lagSeconds.set({ projection }, status.lagSeconds);
          stopped.set({ projection }, (status.stopped ?? status.stoppedFor) === null ? 0 : 1);
        }
      };
    },
  };
};

const createStuckSource = (app: App, gauge: MakeGauge, stuckSeconds: number): MetricSource => {
  const stuck = gauge('chainfold_transactions_stuck', 'Transactions that were sent long ago and are in no block.', [
    'chain',
  ]);
  return {
    name: 'transactions',
    read: async () => {
      const found = await app.stuckTransactions(stuckSeconds);
      return () => {
        stuck.reset();
        for (const chain of chainsWith(app.processes, 'transaction watcher')) stuck.set({ chain }, 0);
        for (const { variant: chain } of found) stuck.inc({ chain });
      };
    },
  };
};

/** Start of Unix time, which stands for "no backup was taken". */
const never = '1970-01-01T00:00:00Z';

/** Creates the sources that read one number each. */
const createCountSources = (app: App, gauge: MakeGauge): readonly MetricSource[] => {
  const count = (name: string, shown: Gauge, readCount: () => Promise<number>): MetricSource => ({
    name,
    read: async () => {
      const value = await readCount();
      return () => shown.set(value);
    },
  });
  const head = gauge('chainfold_event_store_position', 'Position of the last event.');
  const waiting = gauge('chainfold_deliveries_waiting', 'Deliveries in the queue.');
  const oldest = gauge(
    'chainfold_deliveries_oldest_due_seconds',
    'Time for which the oldest open delivery has been due; 0 if none is due.',
  );
  const backup = gauge(
    'chainfold_backup_last_success_timestamp_seconds',
    'Unix time of the last successful backup; 0 if none was taken.',
  );
  const refused = gauge(
    'chainfold_audit_refused',
    'Histories that are no longer sealed, because they differ from an earlier seal.',
  );
  return [
    count('events', head, app.status.head),
    count('deliveries', waiting, app.deliveriesWaiting),
    count('open_deliveries', oldest, app.oldestDelivery),
    count('backup', backup, async () => Date.parse((await app.status.lastBackup())?.time ?? never) / 1000),
    count('audit', refused, async () => (await app.audit.sealFailures()).length),
  ];
};

const createStoreSources = (app: App, gauge: MakeGauge, stuckSeconds: number): readonly MetricSource[] => [
  ...createCountSources(app, gauge),
  createProjectionSource(app, gauge),
  createStuckSource(app, gauge, stuckSeconds),
  createRoleSource(app, gauge),
];

type MetricsSettings = {
  readonly stuckSeconds: number;
  /** Data directory, which does not exist if every store is a server. */
  readonly dataDirectory?: string | undefined;
  /** Time that a scrape waits for one source: far less than the 10 s that Prometheus gives the whole scrape. */
  readonly sourceTimeoutMs?: number;
};

type Metrics = {
  readonly observe: ServerHooks['observe'];
  readonly contentType: string;
  render(): Promise<string>;
  collect(): Promise<MetricValues>;
};

/** Values of the metrics of one process. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Renders the metrics of several processes that share a port as one text, with aggregated values. */
export const renderTogether = (collected: readonly MetricValues[]): Promise<string> =>
  AggregatorRegistry.aggregate([...collected]).metrics();

/**
 * Gauges for which the values of the processes that share a port are aggregated to the sum or the minimum. All other
 * gauges describe state that the processes share, and show the maximum.
 */
const aggregators: Readonly<Record<string, 'sum' | 'min'>> = {
  chainfold_gateway_connections: 'sum',
  chainfold_gateway_subscriptions: 'sum',
  chainfold_gateway_filters: 'sum',
  chainfold_gateway_waiting: 'sum',
  chainfold_metrics_source_up: 'min',
  chainfold_node_up: 'min',
};

/** Creates the metrics of `/metrics`. Label values come from the service's own tables, never from requests. */
export const createMetrics = (
  app: App,
  { stuckSeconds, dataDirectory, sourceTimeoutMs = 2000 }: MetricsSettings,
  sockets: Sockets['metrics'] = noSockets,
): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerMeasurements(app, registry);
  const observe = createOperationTimes(registry);
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry], aggregator: aggregators[name] ?? 'max' });
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const followers = createFollowerMetrics(app, gauge);
  const showGateway = createGatewayMetrics(app, sockets, { gauge, counter });
  const sources = [...createStoreSources(app, gauge, stuckSeconds), ...followers.sources];
  if (dataDirectory !== undefined && existsSync(dataDirectory)) sources.push(createDiskSource(dataDirectory, gauge));
  const readSources = createSourceReader(sources, gauge, { system: app.system, timeoutMs: sourceTimeoutMs });
  const refresh = async () => {
    await readSources();
    followers.showAlarms();
    showGateway();
  };

  return {
    observe,
    render: () => refresh().then(() => registry.metrics()),
    collect: () => refresh().then(() => registry.getMetricsAsJSON()),
    contentType: registry.contentType,
  };
};
