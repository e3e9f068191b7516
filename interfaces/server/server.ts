import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { App } from '../../application/app.js';
import { createBackpressure } from '../../application/gateway/backpressure.js';
import type { Role } from '../../application/processes/service-process.js';
import { Failure } from '../../domain/failure.js';
import { createGateway } from '../gateway/http.js';
import { addressIn } from '../gateway/target.js';
import { createSockets } from '../gateway/websocket.js';
import { answerProblem, requestIdOf } from '../http/answer.js';
import { createOperations } from '../http/operations.js';
import { endpoints } from '../operations/index.js';
import { createHealthPages, createPages } from '../pages/pages.js';
import { createReadiness, type ServerState } from '../pages/readiness.js';
import type { Listener } from './listener.js';
import { createMetrics, type MetricValues } from './metrics.js';
import { tracedRequests } from './traced-requests.js';

/** Time for which the service reports itself as not ready after a store failed a request. */
const storeFailureMs = 5000;

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

const upgrading = ['upgrade', 'connection', 'http2-settings'];
/** Rebuilds the bytes of a request without its upgrade headers, so that an HTTP/2 upgrade is served over HTTP/1.1. */
const withoutUpgrade = ({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer) => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!upgrading.includes((rawHeaders[i] as string).toLowerCase()))
      lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]);
};

type ServedSettings = {
  readonly metricsToken: string | undefined;
  readonly stuckSeconds: number;
  readonly dataDirectory: string;
};

/** Parts of a process that its HTTP server needs to serve operations, pages and metrics. */
export type Served = {
  readonly app: App;
  readonly settings: ServedSettings;
  readonly version: string;
  readonly roles: readonly Role[];
  /** Returns why the start is not complete; null after it has completed. */
  readonly startup: ServerState;
  /**
   * Returns the function that renders the metrics of all processes on this port; absent if no other process uses the
   * port.
   */
  readonly shareMetrics?: ((collect: () => Promise<MetricValues>) => () => Promise<string>) | undefined;
};

/** Serves only health and metrics, for a process without the role `api`. */
export const serveHealth = ({ app, settings, roles, startup }: Served, listener: Listener): void => {
  const readiness = createReadiness(app, roles, startup);
  const metrics = createMetrics(app, settings);
  const pages = createHealthPages({ app, metrics, metricsToken: settings.metricsToken, readiness });
  listener.serve((request, response) => pages(request as never, response as never));
};

/**
 * Serves a process with the role `api`: operations and the gateway run on node:http for speed, the pages on Express.
 */
export const serveApi = (
  { app, settings, version, roles, startup, shareMetrics }: Served,
  listener: Listener,
): void => {
  let trouble = { reason: '', until: 0 };
  const damaged = () =>
    app.progress.isWhole() ? null : 'Read models were damaged and are being rebuilt. Retry later.';
  // Returns why operations are refused; null if they are served. The reason of an incomplete start is hidden from
  // callers, but shown to operators in `/health/ready`.
  const unready = () => (startup() === null ? damaged() : 'The service is starting. Retry in a moment.');
  const state = () => {
    if (listener.isStopping()) return 'The service is stopping.';
    const reason = startup() ?? damaged();
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
  const render = shareMetrics?.(metrics.collect) ?? metrics.render;
  const pages = createPages({
    app,
    version,
    metrics: { ...metrics, render },
    metricsToken: settings.metricsToken,
    readiness,
  });

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    request.url = pathOf(request.url ?? '');
    if (request.url.startsWith('/v1/')) return void operations(request, response);
    if (gateway(request, response)) return;
    // Answers each request that Express cannot handle. Express calls its last argument for such a request.
    return pages(request as never, response as never, () => answerUnknown(app, request, response));
  };
  const isTraced = ({ url = '' }: IncomingMessage) =>
    pathOf(url).startsWith('/v1/') || addressIn(pathOf(url), 'http') !== null;
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const given = withoutUpgrade(request, head);
    request.url = pathOf(request.url ?? '');
    const address = addressIn(request.url, 'socket');
    if (!address || !/^websocket$/i.test(request.headers.upgrade ?? '')) {
      socket.unshift(given);
      listener.accept(socket);
      return;
    }
    sockets.upgrade(address, request, socket, head).catch((error: unknown) => {
      app.system.log.error({ err: error }, 'Gateway connection failed');
      socket.destroy();
    });
  };
  const stop = () => {
    sockets.stop();
    app.endNotificationWaits();
  };
  listener.serve(tracedRequests(app.tracer, handle, isTraced), { upgrade, sockets: { ...sockets, stop } });
};
