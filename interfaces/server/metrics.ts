import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../../application/app.js';
import { chainsWith } from '../../application/processes/service-process.js';
import type { Sockets } from '../gateway/websocket.js';
import type { Surroundings } from '../http/operations.js';
import { createGatewayFigures } from './gateway-figures.js';

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
    // Found by its labels once, which takes longer than counting.
    const found = series.get(name) ?? times.labels({ api: variant.segment, operation: operation.name, status });
    series.set(name, found);
    found.observe(seconds);
  };
};

/** What `/metrics` shows. Labels hold names from our own tables only, never anything a caller sent. */
export const createMetrics = (
  app: App,
  { stuckSeconds }: { readonly stuckSeconds: number },
  sockets: Sockets['figures'],
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

  const height = gauge('chainfold_follower_height', 'Block that a follower has come to.', ['chain']);
  const chainHead = gauge('chainfold_follower_head', 'Head of the chain when a follower last looked.', ['chain']);
  const blocksBehind = gauge('chainfold_follower_lag_blocks', 'Blocks not yet followed.', ['chain']);
  const secondsBehind = gauge('chainfold_follower_lag_seconds', 'Age of the last block followed, if behind.', [
    'chain',
  ]);
  const alarmed = gauge('chainfold_follower_alarm', '1 when a follower cannot go on.', ['chain']);

  const waiting = gauge('chainfold_deliveries_waiting', 'Deliveries in the queue.');

  const stuck = gauge('chainfold_transactions_stuck', 'Sent long ago and in no block.', ['chain']);

  const refreshStuck = async () => {
    stuck.reset();
    for (const chain of chainsWith(app.processes, 'transaction watcher')) stuck.set({ chain }, 0);
    for (const { variant } of await app.stuckTransactions(stuckSeconds)) stuck.inc({ chain: variant });
  };
  const refreshFollowers = async () => {
    for (const { chain, ...status } of await app.status.followers()) {
      height.set({ chain }, status.height);
      chainHead.set({ chain }, status.head);
      blocksBehind.set({ chain }, Math.max(0, status.head - status.height));
      secondsBehind.set({ chain }, status.lagSeconds);
    }
    for (const { variant, alarm } of app.followers) alarmed.set({ chain: variant }, alarm() === null ? 0 : 1);
  };
  const refreshGateway = createGatewayFigures(app, sockets, gauge);
  const refresh = async () => {
    refreshGateway();
    await refreshFollowers();
    await refreshStuck();
    waiting.set(await app.deliveriesWaiting());
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
    render: async () => {
      await refresh();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
};
