import type { App } from '../../application/app.js';
import type { Sockets } from '../gateway/websocket.js';
import type { MakeCounter, MakeGauge } from './metric-sources.js';

/**
 * Registers the metrics of the gateway (nodes, cache, connections). Returns the function that sets their values before
 * a scrape.
 */
export const createGatewayMetrics = (
  app: App,
  sockets: Sockets['metrics'],
  { gauge, counter }: { readonly gauge: MakeGauge; readonly counter: MakeCounter },
) => {
  const where = ['chain', 'network'];
  const hits = counter('chainfold_gateway_cache_hits_total', 'Calls answered from the cache.', where);
  const misses = counter('chainfold_gateway_cache_misses_total', 'Cacheable calls that were not in the cache.', where);
  const coalesced = counter(
    'chainfold_gateway_coalesced_total',
    'Calls that shared the node request of an identical call in flight.',
    where,
  );
  const up = gauge('chainfold_node_up', '1 if the node is healthy.', [...where, 'node']);
  const head = gauge('chainfold_node_head', 'Latest head reported by the node.', [...where, 'node']);
  const connections = gauge('chainfold_gateway_connections', 'Open WebSocket connections.');
  const subscriptions = gauge('chainfold_gateway_subscriptions', 'Open subscriptions of all connections.');
  const filters = gauge('chainfold_gateway_filters', 'Open filters of all connections.');
  const waiting = gauge('chainfold_gateway_waiting', 'Notifications queued for clients.');

  return () => {
    // Resets the counters first, because the nodes report totals since the start, which are added to the counters
    // below.
    for (const one of [hits, misses, coalesced]) one.reset();
    for (const [address, node] of app.nodes) {
      const [chain = '', network = ''] = address.split('/');
      const labels = { chain, network };
      const metrics = node.metrics();
      hits.inc(labels, metrics.hits);
      misses.inc(labels, metrics.misses);
      coalesced.inc(labels, metrics.coalesced);
      for (const [i, member] of metrics.members.entries()) {
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
