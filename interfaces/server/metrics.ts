import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../../application/app.js';
import { chainsWith } from '../../application/processes/service-process.js';
import type { Sockets } from '../gateway/websocket.js';
import type { Surroundings } from '../http/operations.js';
import { createFollowerMetrics } from './follower-metrics.js';
import { createGatewayMetrics } from './gateway-metrics.js';

const noSockets = () => ({ connections: 0, subscriptions: 0, filters: 0, waiting: 0 });

const createOperationTimes = (registry: Registry): Surroundings['observe'] => {
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
    // The series is looked up by its labels only once, because the lookup takes longer than the observation.
    const found = series.get(name) ?? times.labels({ api: variant.segment, operation: operation.name, status });
    series.set(name, found);
    found.observe(seconds);
  };
};

/** Collects what `/metrics` shows. Labels hold names from the service's own tables, never anything a caller sent. */
export const createMetrics = (
  app: App,
  { stuckSeconds }: { readonly stuckSeconds: number },
  sockets: Sockets['metrics'] = noSockets,
): { observe: Surroundings['observe']; render: () => Promise<string>; contentType: string } => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const observe = createOperationTimes(registry);
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const head = gauge('chainfold_event_store_position', 'Position of the last event.');
  const position = gauge('chainfold_projection_position', 'Position that a projection includes.', ['projection']);
  const lag = gauge('chainfold_projection_lag_events', 'Events not yet included.', ['projection']);
  const lagSeconds = gauge('chainfold_projection_lag_seconds', 'Age of the oldest event not included.', ['projection']);
  const stopped = gauge('chainfold_projection_stopped', '1 when a projection cannot apply an event.', ['projection']);

  const waiting = gauge('chainfold_deliveries_waiting', 'Deliveries in the queue.');

  const stuck = gauge('chainfold_transactions_stuck', 'Sent long ago and in no block.', ['chain']);

  const refused = gauge(
    'chainfold_audit_refused',
    'Histories that are not sealed, because they are not what was sealed.',
  );
  const refreshStuck = async () => {
    stuck.reset();
    for (const chain of chainsWith(app.processes, 'transaction watcher')) stuck.set({ chain }, 0);
    for (const { variant } of await app.stuckTransactions(stuckSeconds)) stuck.inc({ chain: variant });
  };
  const refreshFollowers = createFollowerMetrics(app, gauge);
  const refreshGateway = createGatewayMetrics(app, sockets, gauge);
  const refresh = async () => {
    refreshGateway();
    await refreshFollowers();
    await refreshStuck();
    waiting.set(await app.deliveriesWaiting());
    refused.set((await app.audit.refusals()).length);
    head.set(await app.status.head());
    for (const { name, ...status } of await app.status.projections()) {
      const label = { projection: name };
      position.set(label, status.position);
      lag.set(label, status.lag);
      lagSeconds.set(label, status.lagSeconds);
      stopped.set(label, status.stopped === null ? 0 : 1);
    }
  };

  return {
    observe,
    render: () => refresh().then(() => registry.metrics()),
    contentType: registry.contentType,
  };
};
