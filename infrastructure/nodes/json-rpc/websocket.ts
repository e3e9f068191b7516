import { type RawData, WebSocket } from 'ws';
import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import { type Cancellation, untilCancelled } from '../../../application/async/cancellation.js';
import { NodeFault, toFailing } from '../node-fault.js';
import { withTimeout } from '../with-timeout.js';
import { requestText } from './request.js';

type SocketLimits = {
  readonly connectMs: number;
  readonly maxBytes: number;
  /** Time between two pings; a connection that is silent from one to the next is ended. */
  readonly silentMs: number;
};

/** A message of a node: an answer with the id as it is written, or a notice of a subscription. */
type Message<Answer> =
  | { readonly id: string; readonly answer: Answer }
  | { readonly subscription: unknown; readonly result: unknown };

type Waiting<Answer> = { resolve(answer: Answer): void; reject(fault: NodeFault): void };

/** Functions by which a user of the socket reads messages: the gateway leaves results as bytes, a follower parses them. */
type Reading<Answer> = {
  /** Throws when the message is no JSON-RPC. */
  message(bytes: Buffer): Message<Answer>;
  /** Throws a NodeFault when the node refused to subscribe. */
  subscriptionId(answer: Answer): unknown;
  /** Called whenever a connection ends. */
  readonly ended?: () => void;
};

const lostMessage = 'the connection was lost';
const lost = () => new NodeFault('failing', lostMessage);

/** Fault of each question that was open when too large a message ended its connection: any of them may be to blame. */
class Suspected extends NodeFault {
  constructor() {
    super('failing', lostMessage);
  }
}

const excessCode = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
/** Methods that must not be asked again, since the node may have done what they ask for. */
const changing = /^(eth_send|dev_)/;
/** Number of questions with too large answers that are remembered, and their length. */
const maxRemembered = 100;
const maxRememberedLength = 1024;

const bytesOf = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};

/** Ends a connection over which no word comes, not even an answer to a ping. */
const watchOver = (socket: WebSocket, silentMs: number) => {
  let heardAt = performance.now();
  let isPinged = false;
  const hear = () => {
    heardAt = performance.now();
    isPinged = false;
  };
  const look = () => {
    if (isPinged) return socket.terminate();
    isPinged = true;
    return socket.ping();
  };
  socket.on('pong', hear);
  socket.on('message', hear);
  socket.on('open', () => {
    const timer = setInterval(look, silentMs);
    socket.on('close', () => clearInterval(timer));
  });
  return {
    /** Called when a question is given up: other answers may be on their way, unless nothing came for long. */
    giveUp: (askedAt: number) => {
      if (heardAt < askedAt && performance.now() - askedAt > silentMs / 2) socket.terminate();
    },
  };
};

/** Opens one connection. Questions that are open when it ends fail. */
const connect = <Answer>(url: URL, limits: SocketLimits, { message }: Reading<Answer>) => {
  const socket = new WebSocket(url, {
    maxPayload: limits.maxBytes,
    perMessageDeflate: false,
    handshakeTimeout: limits.connectMs,
  });
  const waiting = new Map<string, Waiting<Answer>>();
  const listeners = new Map<unknown, (result: unknown) => void>();
  const watch = watchOver(socket, limits.silentMs);
  let lastId = 0;
  let hasExceeded = false;

  const take = (told: Message<Answer>) => {
    if ('subscription' in told) return listeners.get(told.subscription)?.(told.result);
    waiting.get(told.id)?.resolve(told.answer);
    return waiting.delete(told.id);
  };
  socket.on('message', (data) => {
    try {
      take(message(bytesOf(data)));
    } catch {
      // A message that cannot be read may have been any answer, so the messages after it cannot be trusted either.
      socket.terminate();
    }
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    // An error is always followed by the end of the connection.
    socket.on('error', (error) => {
      hasExceeded ||= (error as { code?: unknown }).code === excessCode;
      reject(toFailing(error));
    });
  });
  opened.catch(() => undefined);
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      for (const { reject } of waiting.values()) reject(hasExceeded ? new Suspected() : lost());
      waiting.clear();
      resolve();
    });
  });
  const ask = (method: string, params: string, cancellation: Cancellation, askedAt: number) =>
    new Promise<Answer>((resolve, reject) => {
      const id = ++lastId;
      const stay = cancellation.onCancel(() => {
        waiting.delete(String(id));
        watch.giveUp(askedAt);
        reject(lost());
      });
      const settle: Waiting<Answer> = {
        resolve: (answer) => {
          stay();
          resolve(answer);
        },
        reject: (fault) => {
          stay();
          reject(fault);
        },
      };
      waiting.set(String(id), settle);
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

/** Keeps one connection: makes it when it is needed, and again after it was lost. */
const createLane = <Answer>(open: () => Connection<Answer>, ended: () => void = () => undefined) => {
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

type Lane<Answer> = ReturnType<typeof createLane<Answer>>;

/** Asks one question at a time, so that too large a message is the answer to the open one. */
const createTurns = <Answer>({ connection }: Lane<Answer>, maxBytes: number) => {
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (method: string, params: string, cancellation: Cancellation) => {
    if (cancellation.isCancelled()) throw lost();
    const { exchange, terminate } = connection();
    try {
      return await exchange(method, params, cancellation);
    } catch (error) {
      // The answer may still come, and would be taken for that to the next question.
      terminate();
      if (!(error instanceof Suspected)) throw error;
      throw new NodeFault('oversized', `gave an answer that is larger than ${maxBytes} bytes`);
    }
  };
  return (method: string, params: string, cancellation: Cancellation): Promise<Answer> => {
    const answer = turn.then(() => ask(method, params, cancellation));
    turn = answer.catch(() => undefined);
    return untilCancelled(answer, cancellation);
  };
};

/**
 * Talks to one node: over one connection for questions, over another for subscriptions, and over a third for questions
 * that are asked one at a time because too large a message ended the first.
 */
export const createSocket = <Answer>(url: URL, limits: SocketLimits, reading: Reading<Answer>) => {
  const open = () => connect(url, limits, reading);
  const lane = () => createLane(open, reading.ended);
  const [asking, listening, single] = [lane(), lane(), lane()];
  const askAlone = createTurns(single, limits.maxBytes);
  const large = createBoundedCache<string, true>(maxRemembered);
  let hasLarge = false;

  /** Remembers questions with too large answers, so that they are asked alone at once. */
  const askSuspect = (method: string, params: string, cancellation: Cancellation) =>
    askAlone(method, params, cancellation).catch((error: unknown) => {
      const isLarge = error instanceof NodeFault && error.kind === 'oversized';
      if (isLarge && params.length <= maxRememberedLength) {
        hasLarge = true;
        large.set(`${method} ${params}`, true);
      }
      throw error;
    });
  const isKnownLarge = (method: string, params: string) =>
    hasLarge && params.length <= maxRememberedLength && large.has(`${method} ${params}`);
  return {
    /** `params` is JSON. Rejects with a NodeFault. */
    exchange: async (method: string, params: string, cancellation: Cancellation): Promise<Answer> => {
      if (isKnownLarge(method, params)) return await askSuspect(method, params, cancellation);
      try {
        return await asking.connection().exchange(method, params, cancellation);
      } catch (error) {
        if (!(error instanceof Suspected) || changing.test(method)) throw error;
        return await askSuspect(method, params, cancellation);
      }
    },
    /** Tells of `subscription` until the connection ends or the signal fires, which resolves; `begun` is called once it does. */
    listen: async (
      subscription: string,
      notice: (result: unknown) => void,
      signal: AbortSignal,
      begun: () => void = () => undefined,
    ): Promise<void> => {
      const { exchange, listeners, ended } = listening.connection();
      const ask = (method: string, given: unknown) =>
        withTimeout(limits.connectMs, (cancellation) => exchange(method, JSON.stringify([given]), cancellation));
      const id = reading.subscriptionId(await ask('eth_subscribe', subscription));
      listeners.set(id, notice);
      begun();
      await endOf(ended, signal);
      listeners.delete(id);
      void ask('eth_unsubscribe', id).catch(() => undefined);
    },
    close: async (): Promise<void> => {
      await Promise.all([asking, listening, single].map((lane) => lane.close()));
    },
  };
};
