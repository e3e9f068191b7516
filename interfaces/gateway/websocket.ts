import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { App } from '../../application/app.js';
import { type Backpressure, createBackpressure } from '../../application/gateway/backpressure.js';
import type { Quota } from '../../domain/rate-limit.js';
import { rateHeaders, requestIdOf } from '../http/answer.js';
import { type Connection, closeCodes, createConnection } from './connection.js';
import { errorReply } from './json-rpc.js';
import { createMessageReport } from './request-report.js';
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
const switchingProtocols = 101;

/** Result of an attempt to connect. `refusal` is null if the connection was accepted. */
type Attempt = {
  readonly refusal: Refusal | null;
  readonly quota: Quota | null;
  readonly organizationId?: string | undefined;
};

const refuse = (socket: Duplex, requestId: string, { status, code, message }: Refusal, quota: Quota | null = null) => {
  const body = errorReply(code, message);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    'x-content-type-options: nosniff',
    `x-request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...Object.entries(quota ? rateHeaders(quota) : {}).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** Closes the connections of keys that have expired or were deleted, by this process or another. */
const closeRevoked = async (app: App, connections: ReadonlySet<Connection>) => {
  for (const apiKey of new Set([...connections].map((one) => one.apiKey))) {
    // Treats a key as valid while the store is unreachable, so that its connections stay open.
    const isKnown = await (async () => app.gatewayAccess.find(apiKey))().catch(() => true);
    if (isKnown) continue;
    for (const one of connections)
      if (one.apiKey === apiKey) one.close(closeCodes.policy, 'API key or gateway token is no longer valid');
  }
};

const callerOf = (app: App, request: IncomingMessage) => ({
  requestId: requestIdOf(request, app.system),
  origin: request.headers.origin,
  source: request.socket.remoteAddress,
});

/** Creates a function that accepts a connection, or returns the reason why the connection is refused. */
const createAcceptance = (app: App, pressure: Backpressure, connections: Set<Connection>) => {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    maxFragments,
  });
  // Adds the request id of the connection to the response headers, which the library sends.
  server.on('headers', (headers, request) => headers.push(`x-request-id: ${callerOf(app, request).requestId}`));
  const accept = (target: Target, request: IncomingMessage, socket: Duplex, head: Buffer): Refusal | null => {
    const { node, address } = target;
    const feed = app.feeds.get(address);
    if (!node || !feed) return missingNode(target, 503);
    server.handleUpgrade(request, socket, head, (client) => {
      const place = { ...target, ...callerOf(app, request), node, feed };
      const connection = createConnection(app, { socket: client, wire: socket }, place, pressure);
      connections.add(connection);
      pressure.readers.add(connection);
      client.once('close', () => {
        connections.delete(connection);
        pressure.readers.delete(connection);
      });
    });
    return null;
  };
  return async (target: Target, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<Attempt> => {
    const { refusal: unpaid, holder, organizationId, quota } = await admit(app, target, request.headers.origin);
    if (unpaid || !holder) return { refusal: unpaid ?? unknownChain, organizationId, quota };
    const fault = chainFault(holder, target.variant) ?? (await countConnection(app, holder, socket));
    return { refusal: fault ?? accept(target, request, socket, head), organizationId, quota: null };
  };
};

/** Creates a function that closes the connections of revoked keys. Skips a run while an earlier one waits for the store. */
const createKeyCheck = (app: App, connections: ReadonlySet<Connection>) => {
  let isCheckingKeys = false;
  return async () => {
    if (isCheckingKeys || connections.size === 0) return;
    isCheckingKeys = true;
    try {
      await closeRevoked(app, connections);
    } finally {
      isCheckingKeys = false;
    }
  };
};

/**
 * Creates the WebSocket server of `/<chain>/<network>/v1/ws/<API_KEY or token>`: JSON-RPC with filters and
 * subscriptions.
 */
export const createSockets = (app: App, pressure = createBackpressure()) => {
  const connections = new Set<Connection>();
  const connect = createAcceptance(app, pressure, connections);
  const report = createMessageReport(app);
  const checkKeys = createKeyCheck(app, connections);
  const check = () => {
    pressure.checkAll();
    void checkKeys();
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
      const startedAt = performance.now();
      const { requestId, source } = callerOf(app, request);
      // Stores a new id in the request headers, so that later calls of `callerOf` return the same id.
      request.headers['x-request-id'] = requestId;
      const target = targetOf(app, address);
      const attempt = target ? await connect(target, request, socket, head) : { refusal: unknownChain, quota: null };
      const { refusal, quota, organizationId }: Attempt = attempt;
      if (refusal) refuse(socket, requestId, refusal, quota);
      const facts = { organizationId, fault: refusal ?? undefined };
      report({ target, requestId, status: refusal?.status ?? switchingProtocols, facts, startedAt, source });
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
