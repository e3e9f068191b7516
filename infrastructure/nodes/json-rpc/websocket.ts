import { type RawData, WebSocket } from 'ws';
import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import { type Cancellation, untilCancelled } from '../../../application/async/cancellation.js';
import { inClientSpan } from '../../tracing/active-span.js';
import { NodeFault, toFailing } from '../node-fault.js';
import { withTimeout } from '../with-timeout.js';
import { requestText } from './request.js';

type SocketLimits = {
  readonly connectMs: number;
  readonly maxBytes: number;
  /** Milliseconds between pings. A connection without traffic from one ping to the next is terminated. */
  readonly pingIntervalMs: number;
};

/** Message from a node: an answer with the JSON text of its id, or a subscription notification. */
type Message<Answer> =
  | { readonly id: string; readonly answer: Answer }
  | { readonly subscription: unknown; readonly result: unknown };

type PendingRequest<Answer> = { resolve(answer: Answer): void; reject(fault: NodeFault): void };

/**
 * Functions that read the messages of a node. The functions of the gateway keep results as bytes, and the functions of
 * chain followers parse the results.
 */
type MessageReader<Answer> = {
  /** Throws if the message is not JSON-RPC. */
  message(bytes: Buffer): Message<Answer>;
  /** Throws a NodeFault if the node rejected the subscription. */
  subscriptionId(answer: Answer): unknown;
  /** Called whenever a connection ends. */
  readonly ended?: () => void;
};

const lostMessage = 'connection lost';
const lost = () => new NodeFault('failing', lostMessage);

/**
 * Fault of each request in flight when an oversized message closed its connection: any of these requests may be the
 * cause.
 */
class SuspectedOversize extends NodeFault {
  constructor() {
    super('failing', lostMessage);
  }
}

const excessCode = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
/** Methods that are never retried, because the node may already have executed them. */
const nonIdempotent = /^(eth_send|dev_)/;
/** Maximum number of requests remembered for their oversized answers, and maximum length of the parameters of each. */
const maxRemembered = 100;
const maxRememberedLength = 1024;

const bytesOf = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};

/** Pings a connection periodically, and terminates it if nothing arrives, not even a pong. */
const keepAlive = (socket: WebSocket, pingIntervalMs: number) => {
  let lastTrafficAt = performance.now();
  let isPinged = false;
  const noteTraffic = () => {
    lastTrafficAt = performance.now();
    isPinged = false;
  };
  const checkAlive = () => {
    if (isPinged) return socket.terminate();
    isPinged = true;
    return socket.ping();
  };
  socket.on('pong', noteTraffic);
  socket.on('message', noteTraffic);
  socket.on('open', () => {
    const timer = setInterval(checkAlive, pingIntervalMs);
    socket.on('close', () => clearInterval(timer));
  });
  return {
    /**
     * Called when a request that was sent at `askedAt` is cancelled. Terminates the connection if the request was sent
     * more than half a ping interval ago and nothing has arrived since.
     */
    abandon: (askedAt: number) => {
      if (lastTrafficAt < askedAt && performance.now() - askedAt > pingIntervalMs / 2) socket.terminate();
    },
  };
};

/** Opens one connection. Requests in flight fail when the connection closes. */
const connect = <Answer>(url: URL, limits: SocketLimits, { message }: MessageReader<Answer>) => {
  const socket = new WebSocket(url, {
    maxPayload: limits.maxBytes,
    perMessageDeflate: false,
    handshakeTimeout: limits.connectMs,
  });
  const pending = new Map<string, PendingRequest<Answer>>();
  const listeners = new Map<unknown, (result: unknown) => void>();
  const watch = keepAlive(socket, limits.pingIntervalMs);
  let lastId = 0;
  let hasExceeded = false;

  const take = (received: Message<Answer>) => {
    if ('subscription' in received) return listeners.get(received.subscription)?.(received.result);
    pending.get(received.id)?.resolve(received.answer);
    return pending.delete(received.id);
  };
  socket.on('message', (data) => {
    try {
      take(message(bytesOf(data)));
    } catch {
      // An unreadable message may be the answer to any request, so the connection is closed and all requests in flight
      // fail.
      socket.terminate();
    }
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    // An `error` event is always followed by `close`.
    socket.on('error', (error) => {
      hasExceeded ||= (error as { code?: unknown }).code === excessCode;
      reject(toFailing(error));
    });
  });
  opened.catch(() => undefined);
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      for (const { reject } of pending.values()) reject(hasExceeded ? new SuspectedOversize() : lost());
      pending.clear();
      resolve();
    });
  });
  const ask = (method: string, params: string, cancellation: Cancellation, askedAt: number) =>
    new Promise<Answer>((resolve, reject) => {
      const id = ++lastId;
      const stopWatching = cancellation.onCancel(() => {
        pending.delete(String(id));
        watch.abandon(askedAt);
        reject(lost());
      });
      const settle: PendingRequest<Answer> = {
        resolve: (answer) => {
          stopWatching();
          resolve(answer);
        },
        reject: (fault) => {
          stopWatching();
          reject(fault);
        },
      };
      pending.set(String(id), settle);
      socket.send(requestText(method, params, id), (error) => error && settle.reject(lost()));
    });
  const exchange = async (method: string, params: string, cancellation: Cancellation) => {
    const askedAt = performance.now();
    await opened;
    if (cancellation.isCancelled()) throw lost();
    return await ask(method, params, cancellation, askedAt);
  };
  return { exchange, listeners, ended, terminate: () => socket.terminate() };
};

type Connection<Answer> = ReturnType<typeof connect<Answer>>;

const endOf = async (ended: Promise<void>, signal: AbortSignal) => {
  const settled = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { signal: settled.signal });
    if (signal.aborted) resolve();
  });
  await Promise.race([ended, aborted]);
  settled.abort();
};

/**
 * Creates a holder of at most one connection, which is opened on first use and, after a loss, again on the next use.
 */
const createReconnectingConnection = <Answer>(open: () => Connection<Answer>, ended: () => void = () => undefined) => {
  let current: Connection<Answer> | null = null;
  let isClosed = false;
  return {
    connection: (): Connection<Answer> => {
      if (isClosed) throw lost();
      if (current) return current;
      const made = open();
      current = made;
      void made.ended.then(() => {
        if (current === made) current = null;
        ended();
      });
      return made;
    },
    close: async (): Promise<void> => {
      isClosed = true;
      const last = current;
      last?.terminate();
      await last?.ended;
    },
  };
};

type ReconnectingConnection<Answer> = ReturnType<typeof createReconnectingConnection<Answer>>;

/**
 * Creates a function that sends one request at a time, so that an oversized message can be attributed to its request.
 */
const createSequentialExchange = <Answer>({ connection }: ReconnectingConnection<Answer>, maxBytes: number) => {
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (method: string, params: string, cancellation: Cancellation) => {
    if (cancellation.isCancelled()) throw lost();
    const { exchange, terminate } = connection();
    try {
      return await exchange(method, params, cancellation);
    } catch (error) {
      // Closes the connection, so that a late answer is not attributed to the next request.
      terminate();
      if (!(error instanceof SuspectedOversize)) throw error;
      throw new NodeFault('oversized', `returned an answer larger than ${maxBytes} bytes`);
    }
  };
  return (method: string, params: string, cancellation: Cancellation): Promise<Answer> => {
    const answer = turn.then(() => ask(method, params, cancellation));
    turn = answer.catch(() => undefined);
    return untilCancelled(answer, cancellation);
  };
};

/**
 * Creates a client that uses up to three connections to one node: one for requests, one for subscriptions, and one for
 * requests that are sent one at a time because an oversized message closed the first.
 */
export const createSocket = <Answer>(url: URL, limits: SocketLimits, reading: MessageReader<Answer>) => {
  const open = () => connect(url, limits, reading);
  const lane = () => createReconnectingConnection(open, reading.ended);
  const [requests, subscriptions, sequential] = [lane(), lane(), lane()];
  const exchangeAlone = createSequentialExchange(sequential, limits.maxBytes);
  const knownOversized = createBoundedCache<string, true>(maxRemembered);
  let hasLarge = false;

  /**
   * Sends a request on the sequential connection. If the answer is oversized, equal requests are sent on that
   * connection from then on.
   */
  const exchangeSuspect = (method: string, params: string, cancellation: Cancellation) =>
    exchangeAlone(method, params, cancellation).catch((error: unknown) => {
      const isLarge = error instanceof NodeFault && error.kind === 'oversized';
      if (isLarge && params.length <= maxRememberedLength) {
        hasLarge = true;
        knownOversized.set(`${method} ${params}`, true);
      }
      throw error;
    });
  const isKnownLarge = (method: string, params: string) =>
    hasLarge && params.length <= maxRememberedLength && knownOversized.has(`${method} ${params}`);
  const exchange = async (method: string, params: string, cancellation: Cancellation): Promise<Answer> => {
    if (isKnownLarge(method, params)) return await exchangeSuspect(method, params, cancellation);
    try {
      return await requests.connection().exchange(method, params, cancellation);
    } catch (error) {
      if (!(error instanceof SuspectedOversize) || nonIdempotent.test(method)) throw error;
      return await exchangeSuspect(method, params, cancellation);
    }
  };
  return {
    /** Sends a request and returns its answer. `params` is JSON text. Rejects with a NodeFault. */
    exchange: (method: string, params: string, cancellation: Cancellation): Promise<Answer> =>
      // WebSocket messages have no headers that could pass the trace context to the node.
      inClientSpan(
        () => ({ name: method, attributes: { 'rpc.system.name': 'jsonrpc', 'server.address': url.hostname } }),
        () => exchange(method, params, cancellation),
      ),
    /** Subscribes and resolves when the connection closes or the signal aborts. `onSubscribed` is called on success. */
    listen: async (
      subscription: string,
      onNotification: (result: unknown) => void,
      signal: AbortSignal,
      onSubscribed: () => void = () => undefined,
    ): Promise<void> => {
      const { exchange, listeners, ended } = subscriptions.connection();
      const ask = (method: string, given: unknown) =>
        withTimeout(limits.connectMs, (cancellation) => exchange(method, JSON.stringify([given]), cancellation));
      const id = reading.subscriptionId(await ask('eth_subscribe', subscription));
      listeners.set(id, onNotification);
      onSubscribed();
      await endOf(ended, signal);
      listeners.delete(id);
      void ask('eth_unsubscribe', id).catch(() => undefined);
    },
    close: async (): Promise<void> => {
      await Promise.all([requests, subscriptions, sequential].map((lane) => lane.close()));
    },
  };
};
