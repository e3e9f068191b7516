import type { RawData, WebSocket } from 'ws';
import type { Holder } from '../../application/access/gateway/token-cache.js';
import type { App } from '../../application/app.js';
import { createCancellation } from '../../application/async/cancellation.js';
import type { Backpressure, Reader } from '../../application/gateway/backpressure.js';
import type { ChainFeed } from '../../application/gateway/chain-feed.js';
import type { Method } from '../../application/gateway/methods.js';
import type { Node } from '../../application/ports/node.js';
import { answerMessage, encode } from './dispatch.js';
import { type Call, errorReply, type Message, readMessage, rpcCodes } from './json-rpc.js';
import { createLoad, type Load } from './load.js';
import { createOutbox, type Line } from './outbox.js';
import { createSubscriptions, type Opened } from './subscriptions.js';
import { admit, methodFaults, type Refusal, type Target } from './target.js';

/** WebSocket close codes. */
export const closeCodes = { goingAway: 1001, policy: 1008, tryLater: 1013 } as const;

/** Unanswered messages of a client at which no more are read. */
export const maxUnanswered = 256;
/** Unread bytes at which a client that does not read its answers is disconnected. */
export const maxUnread = 64 * 1024 * 1024;
/** Unread bytes up to which a disconnected client may still read them before the socket ends. */
const maxFarewell = 1024 * 1024;
/** Pings of a client between two pings of ours, since each costs an answer. */
export const maxPings = 1000;
/** Time for a client to read what was sent and the close frame. */
const farewellMs = 10_000;

const text = { binary: false };

const textOf = (data: RawData) => (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString();

/** Stops reading from a client that asks faster than it is answered. */
const onEachMessage = (socket: WebSocket, take: (text: string) => Promise<void>, failed: (error: unknown) => void) => {
  let unanswered = 0;
  socket.on('message', (data) => {
    unanswered++;
    if (unanswered >= maxUnanswered) socket.pause();
    take(textOf(data))
      .catch(failed)
      .finally(() => {
        unanswered--;
        if (unanswered < maxUnanswered && socket.isPaused) socket.resume();
      });
  });
};

/** Refuses each call of a message under its id, since a client over WebSocket finds its calls by nothing else. */
const refusalOf = ({ calls, isBatch }: Message, { code, message }: Refusal) => {
  const replies = calls.flatMap(({ id }) => (id === null ? [] : errorReply(code, message, id)));
  if (replies.length === 0) return errorReply(code, message);
  return isBatch ? `[${replies.join(',')}]` : replies.join();
};

export type Connection = Reader & {
  readonly apiKey: string;
  readonly opened: () => Opened;
  /** Pings the client; returns false when the last ping was not answered. */
  readonly ping: () => boolean;
  readonly sweep: () => void;
  readonly close: (code: number, reason: string) => void;
  readonly terminate: () => void;
};

type Place = Target & { readonly node: Node; readonly feed: ChainFeed; readonly origin: string | undefined };
type Subscriptions = ReturnType<typeof createSubscriptions>;
type Sending = { readonly send: (message: string | Buffer) => void; readonly pressure: Backpressure };

/** Answers the messages of a client. */
const createAnswering = (app: App, target: Place, subscriptions: Subscriptions, { send, pressure }: Sending) => {
  const client = createCancellation();
  const loads = new Set<Load>();
  let isOver = false;
  const answerCalls = async (message: Message, holder: Holder) => {
    const opened: string[] = [];
    const load = createLoad({ client, pressure, calls: message.calls.length });
    loads.add(load);
    const own = (method: Method, call: Call) => subscriptions.answer(method, call, opened);
    try {
      const faultOf = methodFaults(holder, target.variant);
      const replies = await answerMessage(message, { node: target.node, log: app.system.log, load, own, faultOf });
      const answer = replies.length > 0 ? encode(replies, message.isBatch) : null;
      // The socket counts these bytes from here on.
      load.release();
      if (answer) send(answer);
    } finally {
      load.release();
      loads.delete(load);
    }
    subscriptions.activate(opened);
  };
  return {
    leave: client.cancel,
    /** Returns the bytes of answers that have come and were not handed to the socket yet. */
    arriving: () => [...loads].reduce((sum, load) => sum + load.bytes(), 0),
    /** Refuses all answers that have not been sent, and answers no more. */
    stop: () => {
      isOver = true;
      for (const load of loads) load.refuseAll();
    },
    take: async (given: string) => {
      const message = readMessage(given);
      const calls = 'calls' in message ? message.calls : undefined;
      const { refusal, holder } = await admit(app, target, target.origin, calls);
      if (!('calls' in message)) return send(errorReply(message.code, message.message));
      if (refusal) return send(refusalOf(message, refusal));
      return isOver || !holder ? undefined : answerCalls(message, holder);
    },
    failed: (error: unknown) => {
      app.system.log.error({ err: error }, 'a message to the gateway failed');
      send(errorReply(rpcCodes.internal, 'an unexpected error'));
    },
  };
};

/** Serves one client over WebSocket: all methods of HTTP, filters and subscriptions. */
export const createConnection = (app: App, line: Line, target: Place, pressure: Backpressure): Connection => {
  const { socket } = line;
  let isAlive = true;
  let pings = 0;
  let isCut = false;
  let farewell: NodeJS.Timeout | undefined;

  const close = (code: number, reason: string) => {
    outbox.close();
    subscriptions.close();
    socket.close(code, reason);
    farewell ??= setTimeout(() => socket.terminate(), farewellMs).unref();
  };
  const cut = () => {
    if (isCut) return;
    isCut = true;
    stop();
    close(closeCodes.tryLater, 'too much waits to be read');
    if (socket.bufferedAmount > maxFarewell) socket.terminate();
  };
  const outbox = createOutbox(line, pressure, cut);
  const subscriptions = createSubscriptions({ feed: target.feed, outbox, system: app.system, pressure });
  const buffered = () => (isCut ? 0 : socket.bufferedAmount);
  const send = (message: string | Buffer) => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > maxUnread) cut();
    else socket.send(message, text);
    if (message.length > maxFarewell) pressure.checkAll();
  };
  const { take, failed, leave, arriving, stop } = createAnswering(app, target, subscriptions, { send, pressure });

  onEachMessage(socket, take, failed);
  socket.on('message', () => (isAlive = true));
  socket.on('pong', () => (isAlive = true));
  socket.on('ping', () => {
    pings++;
    if (pings === maxPings) close(closeCodes.policy, 'too many pings');
  });
  // The library closes the socket after an error, so there is nothing left to do.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearTimeout(farewell);
    stop();
    leave();
    outbox.close();
    subscriptions.close();
  });

  return {
    apiKey: target.apiKey,
    opened: subscriptions.opened,
    buffered,
    unread: () => outbox.bytes() + subscriptions.bytes() + arriving() + buffered(),
    cut,
    ping: () => {
      if (!isAlive) return false;
      isAlive = false;
      pings = 0;
      if (socket.readyState === socket.OPEN) socket.ping();
      return true;
    },
    sweep: subscriptions.dropUnused,
    close,
    terminate: () => socket.terminate(),
  };
};
