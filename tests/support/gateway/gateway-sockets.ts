import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '../../../application/app.js';
import type { MaybePromise } from '../../../application/async/maybe-promise.js';
import { createBackpressure } from '../../../application/gateway/backpressure.js';
import type { ChainFeed } from '../../../application/gateway/chain-feed.js';
import { type Listener, toNotification } from '../../../application/gateway/notification.js';
import type { Node } from '../../../application/ports/node.js';
import type { System } from '../../../application/ports/system.js';
import { noTracer } from '../../../application/ports/tracing/tracer.js';
import type { Quota } from '../../../domain/rate-limit.js';
import { addressIn } from '../../../interfaces/gateway/target.js';
import { createSockets } from '../../../interfaces/gateway/websocket.js';
import { unrecorded } from '../silent.js';

/** Makes a chain feed that notifies its listeners when a test calls `happen`, and exposes the listeners. */
const createScriptedFeed = () => {
  const listeners = new Set<Listener>();
  // The listener is added one turn of the event loop later, as in a feed that has to catch up first.
  const listen = async (listener: Listener) => {
    await new Promise((resolve) => setImmediate(resolve));
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const feed: ChainFeed = {
    onHeads: (listener) => listen((notification) => listener(notification, notification)),
    onLogs: (_, listener) => listen(listener),
    onPending: listen,
    onSyncing: listen,
  };
  return {
    feed,
    listeners,
    happen: (value: unknown) => {
      const notification = toNotification(value);
      for (const listener of listeners) listener(notification);
    },
  };
};

/**
 * Starts a server that serves only the gateway's WebSocket connections. Every key is valid unless a test changes
 * `gatewayAccess`, and all messages share one quota.
 */
export const openSockets = async (system: System, pressure = createBackpressure()) => {
  const { feed, listeners, happen } = createScriptedFeed();
  const quota: Quota & { allowed: boolean } = { allowed: true, limit: 1, remaining: 1, resetMs: 1, window: 'second' };
  /** Returns an answer that begins to arrive and never completes. */
  const answer: Node['answer'] = (_, cancellation) => {
    cancellation?.receive?.({ bytes: 1_048_576 });
    return new Promise((_, reject) => cancellation?.onCancel(() => reject(new Error('nobody waits'))));
  };
  const holder = { organizationId: 'org_1' };
  const gatewayAccess = { find: (): MaybePromise<typeof holder | null> => holder, charge: () => quota };
  const app = {
    system,
    nodes: new Map([['c/mainnet', { isDevelopment: false, answer }]]),
    feeds: new Map([['c/mainnet', feed]]),
    gatewayAccess,
    quotas: { connect: async () => () => undefined },
    requests: unrecorded,
    tracer: noTracer,
  };
  const sockets = createSockets(app as unknown as App, pressure);
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    const address = addressIn(request.url ?? '', 'socket');
    if (address) void sockets.upgrade(address, request, socket, head);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/c/mainnet/v1/ws/key`,
    metrics: sockets.metrics,
    listeners,
    happen,
    holder,
    /** Access control of the gateway. A test may replace how a key is found. */
    gatewayAccess,
    /** Quota that all messages share. A test may exhaust the quota. */
    quota,
    close: async () => {
      sockets.stop();
      sockets.terminate();
      server.close();
      await once(server, 'close');
    },
  };
};
