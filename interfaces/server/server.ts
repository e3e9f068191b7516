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
import { Failure } from '../../domain/failure.js';
import { baseUrl } from '../base-url.js';
import { createPages } from '../console/pages.js';
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
  /** Finishes the requests under way, then closes; what takes longer than `ms` is cut. */
  stop(ms: number): Promise<void>;
};

/** A client that does not get its headers, or its request, across in this time is not served. */
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
/** How long a store that failed a request makes the service unready. */
const troubleMs = 5000;

/** What is not even HTTP gets a problem too, written by hand: there is no response object for it. */
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

/** Proxies may send the whole URL; what counts is its path. */
const pathOf = (target: string) => {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
};

/** What the operator set is what they should hear about. */
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
/** Clients that would rather speak HTTP/2 offer to; the request is answered as if they had not. */
const withoutUpgrade = ({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer) => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!upgrading.includes((rawHeaders[i] as string).toLowerCase()))
      lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]);
};

/** Once it is so, clients hear with their answer that the connection ends, and send nothing more on it. */
const lastAnswersWhen = (isStopping: () => boolean) =>
  class extends ServerResponse {
    // Given one by one: every answer goes this way.
    override writeHead(status: number, reason?: unknown, headers?: OutgoingHttpHeaders) {
      if (isStopping()) this.shouldKeepAlive = false;
      return super.writeHead(status, reason as string, headers);
    }
  };

/** One server with two front doors: operations straight on node:http, where speed counts, and Express for the pages. */
export const startHttp = async (
  app: App,
  settings: { host: string; port: number; metricsToken: string | undefined; stuckSeconds: number },
  isReady: () => boolean,
): Promise<HttpServer> => {
  let draining = false;
  let trouble = { reason: '', until: 0 };
  const state = () => {
    if (draining) return 'the service is stopping';
    if (!isReady()) return 'the read models are catching up';
    return app.system.now() < trouble.until ? trouble.reason : null;
  };
  const sockets = createSockets(app);
  const metrics = createMetrics(app, settings, sockets.figures);
  const operations = createOperations(app, endpoints, {
    observe: metrics.observe,
    trouble: (reason) => {
      trouble = { reason, until: app.system.now() + troubleMs };
    },
    isReady,
  });
  const gateway = createGateway(app);
  const pages = createPages({ app, metrics, metricsToken: settings.metricsToken, state });

  const options = { ...patience, ServerResponse: lastAnswersWhen(() => draining) };
  const server = createServer(options, (request, response) => {
    request.url = pathOf(request.url ?? '');
    if (request.url.startsWith('/v1/')) return void operations(request, response);
    if (gateway(request, response)) return;
    // What Express itself cannot make sense of ends here.
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
