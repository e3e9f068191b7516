import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '../../application/app.js';
import type { ChainFeed } from '../../application/gateway/chain-feed.js';
import { type Hear, tell } from '../../application/gateway/notification.js';
import type { System } from '../../application/ports/system.js';
import { addressIn } from '../../interfaces/gateway/target.js';
import { createSockets } from '../../interfaces/gateway/websocket.js';

/** A feed that tells what it is told to, and knows who listens. */
const createScriptedFeed = () => {
  const listeners = new Set<Hear>();
  // A turn later, as one that has to catch up first.
  const listen = async (hear: Hear) => {
    await new Promise((resolve) => setImmediate(resolve));
    listeners.add(hear);
    return () => void listeners.delete(hear);
  };
  const feed: ChainFeed = {
    onHeads: (hear) => listen((told) => hear(told, told)),
    onLogs: (_, hear) => listen(hear),
    onPending: listen,
    onSyncing: listen,
  };
  return {
    feed,
    listeners,
    happen: (value: unknown) => {
      const told = tell(value);
      for (const hear of listeners) hear(told);
    },
  };
};

/** The gateway's connections alone, in this process, where nobody is unknown and nothing is charged. */
export const openSockets = async (system: System) => {
  const { feed, listeners, happen } = createScriptedFeed();
  const app = {
    system,
    nodes: new Map([['c/mainnet', { isDevelopment: false }]]),
    feeds: new Map([['c/mainnet', feed]]),
    knownCredentials: { find: () => ({}) },
    access: { admitKey: () => ({ allowed: true, limit: 1, remaining: 1, resetMs: 1 }) },
  };
  const sockets = createSockets(app as unknown as App);
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    const address = addressIn(request.url ?? '', 'socket');
    if (address) void sockets.upgrade(address, request, socket, head);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/c/mainnet/v1/ws/key`,
    figures: sockets.figures,
    listeners,
    happen,
    close: async () => {
      sockets.stop();
      sockets.terminate();
      server.close();
      await once(server, 'close');
    },
  };
};
