import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { App } from '../../application/app.js';
import { createBackpressure } from '../../application/gateway/backpressure.js';
import type { Role } from '../../application/processes/service-process.js';
import { Failure } from '../../domain/failure.js';
import { baseUrl } from '../base-url.js';
import { createHealthPages, createPages } from '../console/pages.js';
import { createReadiness } from '../console/readiness.js';
import { createGateway } from '../gateway/http.js';
import { addressIn } from '../gateway/target.js';
import { createSockets } from '../gateway/websocket.js';
import { answerProblem, requestIdOf } from '../http/answer.js';
import { createOperations } from '../http/operations.js';
import { HttpFailure, problemOf } from '../http/problems.js';
import { endpoints } from '../operations/index.js';
import { UsageError } from '../usage-error.js';
import { createMetrics } from './metrics.js';

export type HttpServer = {
  readonly url: string;
  /** Finishes the requests in flight, then closes. Requests that take longer than `ms` milliseconds are aborted. */
  stop(ms: number): Promise<void>;
};

/** Timeouts of `node:http` for receiving headers, whole requests and the next request, in ms. */
export const serverTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
};
const sweepIntervalMs = 20;

const clientErrors: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request was not received in time'],
};
/** Time for which the service reports itself as not ready after a store failed a request. */
const storeFailureMs = 5000;

/** Answers a malformed HTTP request with a problem. It writes to the socket, because there is no response object. */
const answerBrokenRequest = (app: App) => (error: NodeJS.ErrnoException, socket: Socket) => {
  if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy();
  const [status, detail] = clientErrors[error.code ?? ''] ?? [400, 'Malformed HTTP request'];
  const problem = problemOf(new HttpFailure(status, detail), app.system.uuid());
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json',
    `x-request-id: ${problem.request_id}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

const answerUnknown = (app: App, request: IncomingMessage, response: ServerResponse) =>
  answerProblem(request, response, new Failure('NOT_FOUND', 'Page not found. GET /docs describes the API.'), {
    requestId: requestIdOf(request, app.system),
    log: app.system.log,
  });

/** Returns the path and query of a request target, which may be an absolute URL if a proxy sent it. */
const pathOf = (target: string) => {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
};

/** Explains why the server cannot listen, with the setting to change. */
const explain = (error: NodeJS.ErrnoException, host: string, port: number) => {
  if (error.code === 'EADDRINUSE')
    return new UsageError(`CHAINFOLD_PORT ${port} is already in use on ${host}. Choose another port.`);
  if (error.code === 'EACCES')
    return new UsageError(
      `CHAINFOLD_PORT ${port} requires privileges that this user does not have. Choose another port.`,
    );
  return new UsageError(`CHAINFOLD_HOST ${host} cannot be used: ${error.message}`);
};
const listen = (server: Server, host: string, port: number) =>
  new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, host, port)));
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });

const upgrading = ['upgrade', 'connection', 'http2-settings'];
/** Rebuilds the bytes of a request without its upgrade headers, so that HTTP/1.1 answers an upgrade to HTTP/2. */
const withoutUpgrade = ({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer) => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!upgrading.includes((rawHeaders[i] as string).toLowerCase()))
      lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]);
};

/** Creates a response class that answers with `connection: close` while the server stops. */
const lastAnswersWhen = (isStopping: () => boolean) =>
  class extends ServerResponse {
    // Parameters are listed instead of spread, because this runs for every response.
    override writeHead(status: number, reason?: unknown, headers?: OutgoingHttpHeaders) {
      if (isStopping()) this.shouldKeepAlive = false;
      return super.writeHead(status, reason as string, headers);
    }
  };

type HttpSettings = { host: string; port: number; metricsToken: string | undefined; stuckSeconds: number };

/** Starts the server of a process without the role `api`. It serves health and metrics only. */
export const startHealth = async (
  app: App,
  settings: HttpSettings,
  roles: readonly Role[],
  isReady: () => boolean,
): Promise<HttpServer> => {
  const state = () => (isReady() ? null : 'The service is starting.');
  const readiness = createReadiness(app, roles, state);
  const metrics = createMetrics(app, settings);
  const pages = createHealthPages({ app, metrics, metricsToken: settings.metricsToken, readiness });
  const server = createServer(serverTimeouts, (request, response) => pages(request as never, response as never));
  const { port } = await listen(server, settings.host, settings.port);
  return {
    url: baseUrl(settings.host, port),
    stop: (ms) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), ms);
        server.closeIdleConnections();
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
      }),
  };
};

/** Starts the server: operations and the gateway run on node:http for speed, the pages on Express. */
export const startHttp = async (
  app: App,
  settings: HttpSettings,
  roles: readonly Role[],
  isReady: () => boolean,
): Promise<HttpServer> => {
  let draining = false;
  let trouble = { reason: '', until: 0 };
  const unready = () => {
    if (!isReady()) return 'The service is starting: read models are catching up. Retry in a moment.';
    return app.progress.isWhole() ? null : 'Read models were damaged and are being rebuilt. Retry later.';
  };
  const state = () => {
    if (draining) return 'The service is stopping.';
    const reason = unready();
    if (reason !== null) return reason;
    return app.system.now() < trouble.until ? trouble.reason : null;
  };
  const pressure = createBackpressure();
  const sockets = createSockets(app, pressure);
  const metrics = createMetrics(app, settings, sockets.metrics);
  const operations = createOperations(app, endpoints, {
    observe: metrics.observe,
    onStoreDown: (reason) => {
      trouble = { reason, until: app.system.now() + storeFailureMs };
    },
    unready,
  });
  const gateway = createGateway(app, pressure);
  const readiness = createReadiness(app, roles, state);
  const pages = createPages({ app, metrics, metricsToken: settings.metricsToken, readiness });

  const options = { ...serverTimeouts, ServerResponse: lastAnswersWhen(() => draining) };
  const server = createServer(options, (request, response) => {
    request.url = pathOf(request.url ?? '');
    if (request.url.startsWith('/v1/')) return void operations(request, response);
    if (gateway(request, response)) return;
    // Express calls the last argument for requests that it cannot handle.
    return pages(request as never, response as never, () => answerUnknown(app, request, response));
  });
  server.on('clientError', answerBrokenRequest(app));
  server.on('upgrade', (request, socket, head) => {
    const given = withoutUpgrade(request, head);
    request.url = pathOf(request.url ?? '');
    const address = addressIn(request.url, 'socket');
    if (!address || !/^websocket$/i.test(request.headers.upgrade ?? '')) {
      socket.unshift(given);
      server.emit('connection', socket);
      return;
    }
    sockets.upgrade(address, request, socket, head).catch((error: unknown) => {
      app.system.log.error({ err: error }, 'Gateway connection failed');
      socket.destroy();
    });
  });
  const { port } = await listen(server, settings.host, settings.port);

  return {
    url: baseUrl(settings.host, port),
    stop: (ms) =>
      new Promise((resolve) => {
        draining = true;
        sockets.stop();
        const cut = setTimeout(() => {
          sockets.terminate();
          server.closeAllConnections();
        }, ms);
        const sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
};
