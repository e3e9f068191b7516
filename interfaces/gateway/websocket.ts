import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { App } from '../../application/app.js';
import { createBackpressure } from '../../application/gateway/backpressure.js';
import type { Quota } from '../../domain/rate-limit.js';
import { rateHeaders } from '../http/answer.js';
import { type Connection, closeCodes, createConnection } from './connection.js';
import { errorReply } from './json-rpc.js';
import type { Opened } from './subscriptions.js';
import {
  type Address,
  admit,
  chainFault,
  countConnection,
  missingNode,
  type Refusal,
  type Target,
  targetOf,
  unknownChain,
} from './target.js';

export const maxMessageBytes = 5 * 1_048_576;
export const maxFragments = 1024;
export const pingIntervalMs = 30_000;
/** Interval at which keys are checked, so that connections close within a second after a key is deleted or expires. */
const keyCheckIntervalMs = 250;
const refuse = (socket: Duplex, { status, code, message }: Refusal, quota: Quota | null = null) => {
  const body = errorReply(code, message);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    'x-content-type-options: nosniff',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...Object.entries(quota ? rateHeaders(quota) : {}).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** Closes connections whose key was deleted or has expired, whichever process deleted it. */
const closeRevoked = async (app: App, connections: ReadonlySet<Connection>) => {
  for (const apiKey of new Set([...connections].map((one) => one.apiKey))) {
    // A connection stays open while the store is unreachable.
    const isKnown = await (async () => app.gatewayAccess.find(apiKey))().catch(() => true);
    if (isKnown) continue;
    for (const one of connections)
      if (one.apiKey === apiKey) one.close(closeCodes.policy, 'API key or gateway token is no longer valid');
  }
};

/** Serves `/<chain>/<network>/v1/ws/<API_KEY or token>`: JSON-RPC with filters and subscriptions. */
export const createSockets = (app: App, pressure = createBackpressure()) => {
  const connections = new Set<Connection>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    maxFragments,
  });

  const accept = (target: Target, request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { node, address } = target;
    const feed = app.feeds.get(address);
    if (!node || !feed) return refuse(socket, missingNode(target, 503));
    return server.handleUpgrade(request, socket, head, (client) => {
      const place = { ...target, node, feed, origin: request.headers.origin };
      const connection = createConnection(app, { socket: client, wire: socket }, place, pressure);
      connections.add(connection);
      pressure.readers.add(connection);
      client.once('close', () => {
        connections.delete(connection);
        pressure.readers.delete(connection);
      });
    });
  };
  const check = () => {
    pressure.checkAll();
    if (connections.size > 0) void closeRevoked(app, connections);
  };
  const ping = () => {
    for (const connection of connections) {
      if (!connection.ping()) connection.terminate();
      connection.sweep();
    }
  };
  const sumOf = (what: keyof Opened) => [...connections].reduce((sum, one) => sum + one.opened()[what], 0);
  const timers = [setInterval(check, keyCheckIntervalMs).unref(), setInterval(ping, pingIntervalMs).unref()];

  return {
    upgrade: async (address: Address, request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      const target = targetOf(app, address);
      if (!target) return refuse(socket, unknownChain);
      const { refusal: unpaid, holder, quota } = await admit(app, target, request.headers.origin);
      if (unpaid || !holder) return refuse(socket, unpaid ?? unknownChain, quota);
      const refusal = chainFault(holder, target.variant) ?? (await countConnection(app, holder, socket));
      return refusal ? refuse(socket, refusal) : accept(target, request, socket, head);
    },
    metrics: () => ({
      connections: connections.size,
      subscriptions: sumOf('subscriptions'),
      filters: sumOf('filters'),
      waiting: pressure.waiting(),
    }),
    stop: () => {
      for (const timer of timers) clearInterval(timer);
      for (const connection of connections) connection.close(closeCodes.goingAway, 'the service is stopping');
    },
    terminate: () => {
      for (const connection of connections) connection.terminate();
    },
  };
};

export type Sockets = ReturnType<typeof createSockets>;
