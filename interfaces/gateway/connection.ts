import type { RawData, WebSocket } from 'ws';
import type { App } from '../../application/app.js';
import { createWaiter } from '../../application/async/cancellation.js';
import type { Pressure, Reader } from '../../application/gateway/backpressure.js';
import type { ChainFeed } from '../../application/gateway/chain-feed.js';
import type { Node } from '../../application/ports/node.js';
import { answerMessage, encode } from './dispatch.js';
import { errorReply, type Message, readMessage, rpcCodes } from './json-rpc.js';
import { createOutbox, type Line } from './outbox.js';
import { createSubscriptions, type Opened } from './subscriptions.js';
import { admit, type Target } from './target.js';

/** Of WebSocket: going away, policy violation, try again later. */
export const closeCodes = { goingAway: 1001, policy: 1008, tryLater: 1013 } as const;

/** While so many messages are unanswered no more are read. */
export const mostUnanswered = 256;
/** A client that does not read the answers it asks for is let go when this much waits for it. */
export const mostUnread = 64 * 1024 * 1024;
/** A client that is let go with no more than this still unread may read it. */
const mostFarewell = 1024 * 1024;
/** Each costs an answer; a client that wants to know whether it is heard sends one in a while. */
export const mostPings = 1000;
/** How long a client has to read what is still under way, and that the connection ends. */
const farewellMs = 10_000;

const text = { binary: false };

const textOf = (data: RawData) => (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString();

/** A client that asks faster than it is answered has to wait. */
const onEachMessage = (socket: WebSocket, take: (text: string) => Promise<void>, failed: (error: unknown) => void) => {
  let unanswered = 0;
  socket.on('message', (data) => {
    unanswered++;
    if (unanswered >= mostUnanswered) socket.pause();
    take(textOf(data))
      .catch(failed)
      .finally(() => {
        unanswered--;
        if (unanswered < mostUnanswered && socket.isPaused) socket.resume();
      });
  });
};

export type Connection = Reader & {
  readonly apiKey: string;
  readonly opened: () => Opened;
  /** False when the last ping stayed without an answer. */
  readonly ping: () => boolean;
  readonly sweep: () => void;
  readonly close: (code: number, reason: string) => void;
  readonly terminate: () => void;
};

type Place = Target & { readonly node: Node; readonly feed: ChainFeed };
type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Answers what a client sends. */
const createAnswering = (
  app: App,
  target: Place,
  subscriptions: Subscriptions,
  send: (message: string | Buffer) => void,
) => {
  const waiter = createWaiter();
  const answerCalls = async (message: Message) => {
    const opened: string[] = [];
    const replies = await answerMessage(message, {
      node: target.node,
      log: app.system.log,
      waiter,
      own: (method, call) => subscriptions.answer(method, call, opened),
    });
    if (replies.length > 0) send(encode(replies, message.isBatch));
    subscriptions.activate(opened);
  };
  return {
    leave: waiter.leave,
    take: async (given: string) => {
      const message = readMessage(given);
      const { refusal } = await admit(app, target, 'calls' in message ? message.calls.length : 1);
      if (!('calls' in message)) return send(errorReply(message.code, message.message));
      const id = message.isBatch ? undefined : (message.calls[0]?.id ?? undefined);
      if (refusal) return send(errorReply(refusal.code, refusal.message, id));
      return answerCalls(message);
    },
    failed: (error: unknown) => {
      app.system.log.error({ err: error }, 'a message to the gateway failed');
      send(errorReply(rpcCodes.internal, 'an unexpected error'));
    },
  };
};

/** One client over WebSocket: all HTTP methods, filters and subscriptions. */
export const createConnection = (app: App, line: Line, target: Place, pressure: Pressure): Connection => {
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
    close(closeCodes.tryLater, 'too much waits to be read');
    if (socket.bufferedAmount > mostFarewell) socket.terminate();
  };
  const outbox = createOutbox(line, pressure, cut);
  const subscriptions = createSubscriptions({ feed: target.feed, outbox, system: app.system, pressure });
  const buffered = () => (isCut ? 0 : socket.bufferedAmount);
  const send = (message: string | Buffer) => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > mostUnread) cut();
    else socket.send(message, text);
  };
  const { take, failed, leave } = createAnswering(app, target, subscriptions, send);

  onEachMessage(socket, take, failed);
  socket.on('message', () => (isAlive = true));
  socket.on('pong', () => (isAlive = true));
  socket.on('ping', () => {
    pings++;
    if (pings === mostPings) close(closeCodes.policy, 'too many pings');
  });
  // It is closed after an error, which is all there is to do about one.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearTimeout(farewell);
    leave();
    outbox.close();
    subscriptions.close();
  });

  return {
    apiKey: target.apiKey,
    opened: subscriptions.opened,
    buffered,
    unread: () => outbox.bytes() + subscriptions.bytes() + buffered(),
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
