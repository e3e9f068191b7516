import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Failure } from '../../domain/failure.js';
import { baseUrl } from '../base-url.js';
import { answerProblem, requestIdOf } from '../http/answer.js';
import { HttpFailure, problemOf } from '../http/problems.js';
import { isRebound } from '../local-caller.js';
import { UsageError } from '../usage-error.js';

/**
 * Timeouts of `node:http` in ms: for receiving the headers, for receiving a whole request, for the next request of a
 * kept connection, and the interval of the check for the first two.
 */
export const serverTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
};
const sweepIntervalMs = 20;

/**
 * WebSocket connections of a server. When the listener stops, it calls `stop` first, and `terminate` if connections are
 * still open after its time limit.
 */
type Sockets = { stop(): void; terminate(): void };

/** Open HTTP port of a process. Until `serve` is called, responses say that the service is starting. */
export type Listener = {
  readonly url: string;
  readonly isStopping: () => boolean;
  serve(handle: RequestListener, more?: { upgrade: Parameters<Server['on']>[1]; sockets: Sockets }): void;
  /** Hands a connection to the HTTP server as if it had just been accepted. */
  accept(socket: object): void;
  /** Finishes the requests in flight, then closes. Requests that take longer than `ms` milliseconds are aborted. */
  stop(ms: number): Promise<void>;
};

const clientErrors: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request was not received in time'],
};

/** Answers a malformed HTTP request with a problem. Writes to the socket, because there is no response object. */
const answerBrokenRequest = (error: NodeJS.ErrnoException, socket: Socket) => {
  if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy();
  const [status, detail] = clientErrors[error.code ?? ''] ?? [400, 'Malformed HTTP request'];
  const problem = problemOf(new HttpFailure(status, detail), randomUUID());
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

/** Explains why the server cannot listen, with the setting to change. */
const explain = (error: NodeJS.ErrnoException, { host, port, setting }: Place) => {
  if (error.code === 'EADDRINUSE')
    return new UsageError(`${setting} ${port} is already in use on ${host}. Choose another port.`);
  if (error.code === 'EACCES')
    return new UsageError(`${setting} ${port} requires privileges that this user does not have. Choose another port.`);
  return new UsageError(`CHAINFOLD_HOST ${host} cannot be used: ${error.message}`);
};
const listen = (server: Server, place: Place) =>
  new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, place)));
    server.listen(place.port, place.host, () => resolve(server.address() as AddressInfo));
  });

/**
 * Returns a function that closes connections on which nothing was received yet, because `closeIdleConnections` leaves
 * connections open until after their first request.
 */
const createUnusedCloser = (server: Server) => {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
};

/**
 * Creates a class of responses that close their connection (`connection: close`) while the server is stopping.
 */
const lastAnswersWhen = (isStopping: () => boolean) =>
  class extends ServerResponse {
    // Lists the parameters and avoids the slower spread syntax, because this runs for every response.
    override writeHead(status: number, reason?: unknown, headers?: OutgoingHttpHeaders) {
      if (isStopping()) this.shouldKeepAlive = false;
      return super.writeHead(status, reason as string, headers);
    }
  };

const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Creates the handler of requests that arrive before the stores are open. The handler reports the process as live, but
 * not ready.
 */
const createStartupAnswers =
  (reason: () => string) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const requestId = requestIdOf(request, { uuid: randomUUID });
    const send = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId })
        .end(JSON.stringify(body));
    const path = request.url?.split('?', 1)[0];
    if (path === '/health/live') send(200, { status: 'live' });
    else if (path === '/health/ready')
      send(503, { status: 'not ready', ...(isRebound(request) ? {} : { reasons: [reason()], chains: [] }) });
    else
      answerProblem(request, response, new Failure('UNAVAILABLE', 'The service is starting. Retry in a moment.'), {
        requestId,
        log: silentLog,
        headers: { 'retry-after': '1' },
      });
  };

type Place = {
  readonly host: string;
  readonly port: number;
  /** Name of the setting with the port, for error messages. */
  readonly setting: string;
};

/**
 * Opens the port. Called before any store is opened, so that a start fails without side effects if the port is in use.
 */
export const takePort = async (place: Place, startupReason: () => string): Promise<Listener> => {
  let draining = false;
  let closed: Promise<void> | undefined;
  let sockets: Sockets | undefined;
  let handle: RequestListener = createStartupAnswers(startupReason);
  const isStopping = () => draining;
  const options = { ...serverTimeouts, ServerResponse: lastAnswersWhen(isStopping) };
  const server = createServer(options, (request, response) => handle(request, response));
  server.on('clientError', answerBrokenRequest);
  const closeUnused = createUnusedCloser(server);
  const { port } = await listen(server, place);
  const close = (ms: number) =>
    new Promise<void>((resolve) => {
      draining = true;
      sockets?.stop();
      const cut = setTimeout(() => {
        sockets?.terminate();
        server.closeAllConnections();
      }, ms);
      const sweep = setInterval(() => {
        server.closeIdleConnections();
        closeUnused();
      }, sweepIntervalMs);
      server.close(() => {
        clearTimeout(cut);
        clearInterval(sweep);
        resolve();
      });
    });
  return {
    url: baseUrl(place.host, port),
    isStopping,
    accept: (socket) => void server.emit('connection', socket),
    serve: (next, more) => {
      handle = next;
      sockets = more?.sockets;
      if (more) server.on('upgrade', more.upgrade);
    },
    stop: (ms) => {
      closed ??= close(ms);
      return closed;
    },
  };
};
