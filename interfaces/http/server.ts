import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { App } from '../../application/app.js';
import { endpoints } from '../operations/index.js';
import { createMetrics } from './metrics.js';
import { createOperations } from './operations.js';
import { createPages } from './pages.js';
import { HttpFailure, problemOf } from './problems.js';

export type HttpServer = {
  readonly url: string;
  /** Finishes the requests under way, then closes; what takes longer than `ms` is cut. */
  stop(ms: number): Promise<void>;
};

/** A client that does not get its headers, or its request, across in this time is not served. */
const headersMs = 10_000;
const requestMs = 30_000;
const idleMs = 65_000;
const sweepMs = 20;

const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What is not even HTTP gets a problem too, written by hand: there is no response object for it. */
const answerBrokenRequest = (app: App) => (error: NodeJS.ErrnoException, socket: Socket) => {
  if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy();
  const status = statusOf[error.code ?? ''] ?? 400;
  const body = JSON.stringify(
    problemOf(new HttpFailure(status, 'this is not a valid HTTP request'), app.system.uuid()),
  );
  const head = [
    `HTTP/1.1 ${status} Bad Request`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

const listen = (server: Server, host: string, port: number) =>
  new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });

const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** One server with two front doors: operations straight on node:http, where speed counts, and Express for the pages. */
export const startHttp = async (
  app: App,
  settings: { host: string; port: number; metricsToken: string | undefined },
): Promise<HttpServer> => {
  let draining = false;
  const metrics = createMetrics(app);
  const operations = createOperations(app, endpoints, metrics.observe);
  const pages = createPages({ app, metrics, metricsToken: settings.metricsToken, draining: () => draining });

  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: 2000,
    },
    (request, response) => {
      if (draining) response.setHeader('connection', 'close');
      if (request.url?.startsWith('/v1/')) void operations(request, response);
      else pages(request, response);
    },
  );
  server.on('clientError', answerBrokenRequest(app));
  const { port } = await listen(server, settings.host, settings.port);

  return {
    url: `http://${hostInUrl(settings.host)}:${port}`,
    stop: (ms) =>
      new Promise((resolve) => {
        draining = true;
        const cut = setTimeout(() => server.closeAllConnections(), ms);
        // A connection whose request ends now is idle only then.
        const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
};
