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
  /** Finishes the requests under way, then closes; requests that take longer than `ms` are cut off. */
  stop(ms: number): Promise<void>;
};

/** Times within which a client must send its headers and its whole request. */
export const patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
};
const sweepMs = 20;

const brokenness: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
};
/** Time for which the service counts as unready after a store failed a request. */
const troubleMs = 5000;

/** Answers bytes that are not HTTP with a problem, written to the socket because there is no response object. */
const answerBrokenRequest = (app: App) => (error: NodeJS.ErrnoException, socket: Socket) => {
  if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy();
  const [status, detail] = brokenness[error.code ?? ''] ?? [400, 'this is not a valid HTTP request'];
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
  answerProblem(request, response, new Failure('NOT_FOUND', 'there is no such page'), {
    requestId: requestIdOf(request, app.system),
    log: app.system.log,
  });

/** Reduces a whole URL, which proxies may send, to its path and query. */
const pathOf = (target: string) => {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
};

/** Names the setting at fault when the server cannot listen. */
const explain = (error: NodeJS.ErrnoException, host: string, port: number) => {
  if (error.code === 'EADDRINUSE') return new UsageError(`CHAINFOLD_PORT ${port} is in use on ${host}`);
  if (error.code === 'EACCES') return new UsageError(`CHAINFOLD_PORT ${port} is not allowed for this user`);
  return new UsageError(`CHAINFOLD_HOST ${host} cannot be listened on: ${error.message}`);
};
const listen = (server: Server, host: string, port: number) =>
  new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, host, port)));
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });

const upgrading = ['upgrade', 'connection', 'http2-settings'];
/** Rewrites a request without its offer to upgrade, to HTTP/2 for example, so that it is answered over HTTP/1.1. */
const withoutUpgrade = ({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer) => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!upgrading.includes((rawHeaders[i] as string).toLowerCase()))
      lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]);
};

/** Makes a response class that answers with `connection: close` while stopping, so that clients send nothing more. */
const lastAnswersWhen = (isStopping: () => boolean) =>
  class extends ServerResponse {
    // Parameters are listed instead of spread, because every answer passes here.
    override writeHead(status: number, reason?: unknown, headers?: OutgoingHttpHeaders) {
      if (isStopping()) this.shouldKeepAlive = false;
      return super.writeHead(status, reason as string, headers);
    }
  };

type HttpSettings = { host: string; port: number; metricsToken: string | undefined; stuckSeconds: number };

/** Starts the server of a process without the role `api`, which only tells how the process is. */
export const startHealth = async (
  app: App,
  settings: HttpSettings,
  roles: readonly Role[],
  isReady: () => boolean,
): Promise<HttpServer> => {
  const state = () => (isReady() ? null : 'the service is starting');
  const readiness = createReadiness(app, roles, state);
  const metrics = createMetrics(app, settings);
  const pages = createHealthPages({ app, metrics, metricsToken: settings.metricsToken, readiness });
  const server = createServer(patience, (request, response) => pages(request as never, response as never));
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
    if (!isReady()) return 'the service is starting: its read models are catching up';
    return app.progress.isWhole() ? null : 'the read models were damaged and are being built anew';
  };
  const state = () => {
    if (draining) return 'the service is stopping';
    const reason = unready();
    if (reason !== null) return reason;
    return app.system.now() < trouble.until ? trouble.reason : null;
  };
  const pressure = createBackpressure();
  const sockets = createSockets(app, pressure);
  const metrics = createMetrics(app, settings, sockets.metrics);
  const operations = createOperations(app, endpoints, {
    observe: metrics.observe,
    trouble: (reason) => {
      trouble = { reason, until: app.system.now() + troubleMs };
    },
    unready,
  });
  const gateway = createGateway(app, pressure);
  const readiness = createReadiness(app, roles, state);
  const pages = createPages({ app, metrics, metricsToken: settings.metricsToken, readiness });

  const options = { ...patience, ServerResponse: lastAnswersWhen(() => draining) };
  const server = createServer(options, (request, response) => {
    request.url = pathOf(request.url ?? '');
    if (request.url.startsWith('/v1/')) return void operations(request, response);
    if (gateway(request, response)) return;
    // Express calls this for requests that it cannot handle itself.
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
      app.system.log.error({ err: error }, 'a connection to the gateway failed');
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
        const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
};
