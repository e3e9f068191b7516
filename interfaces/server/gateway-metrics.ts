import type { Gauge } from 'prom-client';
import type { App } from '../../application/app.js';
import type { Sockets } from '../gateway/websocket.js';

type MakeGauge = (name: string, help: string, labelNames?: string[]) => Gauge;

/** Registers the gateway's gauges (nodes, cache, connections) and returns the function that refreshes them. */
export const createGatewayMetrics = (app: App, sockets: Sockets['metrics'], gauge: MakeGauge) => {
  const where = ['chain', 'network'];
  const hits = gauge('chainfold_gateway_cache_hits', 'Calls that were answered from the cache.', where);
  const misses = gauge('chainfold_gateway_cache_misses', 'Calls that might have been, and were not.', where);
  const ratio = gauge('chainfold_gateway_cache_hit_ratio', 'Hits among hits and misses.', where);
  const coalesced = gauge(
    'chainfold_gateway_coalesced',
    'Calls that were answered along with an identical one.',
    where,
  );
  const up = gauge('chainfold_node_up', '1 when a node answers.', [...where, 'node']);
  const head = gauge('chainfold_node_head', 'Head of a node when last looked at.', [...where, 'node']);
  const connections = gauge('chainfold_gateway_connections', 'Clients connected over WebSocket.');
  const subscriptions = gauge('chainfold_gateway_subscriptions', 'Subscriptions of all of them.');
  const filters = gauge('chainfold_gateway_filters', 'Filters of all of them.');
  const waiting = gauge('chainfold_gateway_waiting', 'Notifications that wait for clients to read.');

  return () => {
    for (const [address, node] of app.nodes) {
      const [chain = '', network = ''] = address.split('/');
      const labels = { chain, network };
      const figures = node.metrics();
      hits.set(labels, figures.hits);
      misses.set(labels, figures.misses);
      ratio.set(labels, figures.hits / Math.max(1, figures.hits + figures.misses));
      coalesced.set(labels, figures.coalesced);
      for (const [i, member] of figures.members.entries()) {
        up.set({ ...labels, node: String(i) }, member.isUp ? 1 : 0);
        head.set({ ...labels, node: String(i) }, member.head);
      }
    }
    const now = sockets();
    connections.set(now.connections);
    subscriptions.set(now.subscriptions);
    filters.set(now.filters);
    waiting.set(now.waiting);
  };
};
