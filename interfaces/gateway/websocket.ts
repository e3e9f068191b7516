import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { App } from '../../application/app.js';
import { createPressure } from '../../application/gateway/backpressure.js';
import { type Connection, closeCodes, createConnection } from './connection.js';
import { errorReply, rpcCodes } from './json-rpc.js';
import type { Opened } from './subscriptions.js';
import { type Address, type Refusal, recognize, type Target, targetOf, unknownChain } from './target.js';

export const longestMessage = 5 * 1_048_576;
export const mostFragments = 1024;
export const pingEveryMs = 30_000;
/** A deleted key ends its connections within a second. */
const recognizeEveryMs = 250;
/** What waits for all clients together. */
export const mostUnread = 256 * 1_048_576;

const refuse = (socket: Duplex, { status, code, message }: Refusal) => {
  const body = errorReply(code, message);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

const off: Refusal = { status: 503, code: rpcCodes.noNode, message: 'this chain is off' };

/** Connections whose key was deleted, here or in another process, are closed. */
const closeRevoked = async (app: App, connections: ReadonlySet<Connection>) => {
  for (const apiKey of new Set([...connections].map((one) => one.apiKey))) {
    // A store that is away says nothing about the key.
    const isKnown = await (async () => app.knownCredentials.find(apiKey))().catch(() => true);
    if (isKnown) continue;
    for (const one of connections) if (one.apiKey === apiKey) one.close(closeCodes.policy, 'the API key was deleted');
  }
};

/** `/<chain>/<network>/v1/ws/<API_KEY>`: JSON-RPC with filters and subscriptions. */
export const createSockets = (app: App) => {
  const connections = new Set<Connection>();
  const pressure = createPressure(connections, mostUnread);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: longestMessage,
    maxFragments: mostFragments,
  });

  const accept = (target: Target, request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { node, address } = target;
    const feed = app.feeds.get(address);
    if (!node || !feed) return refuse(socket, off);
    return server.handleUpgrade(request, socket, head, (client) => {
      const connection = createConnection(app, { socket: client, wire: socket }, { ...target, node, feed }, pressure);
      connections.add(connection);
      client.once('close', () => connections.delete(connection));
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
  const timers = [setInterval(check, recognizeEveryMs).unref(), setInterval(ping, pingEveryMs).unref()];

  return {
    upgrade: async (address: Address, request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      const target = targetOf(app, address);
      if (!target) return refuse(socket, unknownChain);
      const unknown = await recognize(app, target);
      return unknown ? refuse(socket, unknown) : accept(target, request, socket, head);
    },
    figures: () => ({
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
