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
import { createMessageReport, factsOf, faultIn, type MessageFacts } from './request-report.js';
import { createSubscriptions, type Opened } from './subscriptions.js';
import { admit, callsIn, methodFaults, type Refusal, type Target } from './target.js';

/** WebSocket close codes. */
export const closeCodes = { goingAway: 1001, policy: 1008, tryLater: 1013 } as const;

/**
 * Maximum number of unanswered messages of a client. At this number, further messages are read only after some are
 * answered.
 */
export const maxUnanswered = 256;
/** Number of bytes buffered for a client above which the client is disconnected. */
export const maxUnread = 64 * 1024 * 1024;
/**
 * Maximum number of buffered bytes that a disconnected client may still read. With more buffered bytes, the socket of
 * the client is destroyed at once.
 */
const maxUnreadAtClose = 1024 * 1024;
/** Maximum number of pings from a client between two pings of the server. */
export const maxPings = 1000;
/** Time in which a client must read the buffered data and answer the close frame. */
const closeTimeoutMs = 10_000;

const text = { binary: false };
/** Status that is logged for a message whose calls were all answered, even if some answers are errors. */
const succeeded = 200;

const textOf = (data: RawData) => (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString();

/** Handles messages, and pauses the socket while a client has too many unanswered messages. */
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

/**
 * Returns an error reply for each call of a rejected message, because WebSocket clients match replies only by the id of
 * the call.
 */
const refusalOf = ({ calls, isBatch }: Message, { code, message }: Refusal) => {
  const replies = calls.flatMap(({ id }) => (id === null ? [] : errorReply(code, message, id)));
  if (replies.length === 0) return errorReply(code, message);
  return isBatch ? `[${replies.join(',')}]` : replies.join();
};

export type Connection = Reader & {
  readonly apiKey: string;
  readonly opened: () => Opened;
  /** Pings the client. Returns false if the client did not answer the last ping. */
  readonly ping: () => boolean;
  readonly sweep: () => void;
  readonly close: (code: number, reason: string) => void;
  readonly terminate: () => void;
};

type ConnectionTarget = Target & {
  readonly node: Node;
  readonly feed: ChainFeed;
  readonly origin: string | undefined;
  /** The `x-request-id` of the connection, under which its messages are logged. */
  readonly requestId: string;
  /** Network address of the client. */
  readonly source: string | undefined;
};
type Subscriptions = ReturnType<typeof createSubscriptions>;
type Sending = { readonly send: (message: string | Buffer) => void; readonly pressure: Backpressure };

const createAnswering = (
  app: App,
  target: ConnectionTarget,
  subscriptions: Subscriptions,
  { send, pressure }: Sending,
) => {
  const client = createCancellation();
  const loads = new Set<Load>();
  let isOver = false;
  const report = createMessageReport(app);
  /** Answers the calls and returns the error of the first one that failed. */
  const answerCalls = async (message: Message, holder: Holder): Promise<MessageFacts['fault']> => {
    const opened: string[] = [];
    const load = createLoad({ client, pressure, calls: message.calls.length });
    loads.add(load);
    const own = (method: Method, call: Call) => subscriptions.answer(method, call, opened);
    try {
      const faultOf = methodFaults(holder, target.variant);
      const replies = await answerMessage(message, { node: target.node, log: app.system.log, load, own, faultOf });
      const answer = replies.length > 0 ? encode(replies, message.isBatch) : null;
      // Stops counting the bytes of the answers before `send`, because from then on the socket counts them as buffered.
      load.release();
      if (answer) send(answer);
      subscriptions.activate(opened);
      return faultIn(replies);
    } finally {
      load.release();
      loads.delete(load);
    }
  };
  return {
    leave: client.cancel,
    /**
     * Returns the number of bytes of answers that have arrived, at least in part, but were not passed to the socket
     * yet.
     */
    arriving: () => [...loads].reduce((sum, load) => sum + load.bytes(), 0),
    /** Discards all answers that were not sent, and answers no further messages. */
    stop: () => {
      isOver = true;
      for (const load of loads) load.refuseAll();
    },
    take: async (given: string) => {
      const startedAt = performance.now();
      const message = readMessage(given);
      const { refusal, holder, organizationId } = await admit(app, target, target.origin, () => callsIn(message));
      const finish = (status: number, fault: MessageFacts['fault']) => {
        const facts = { ...factsOf(message), organizationId, fault };
        report({ target, requestId: target.requestId, status, facts, startedAt, source: target.source });
      };
      if (!('calls' in message)) {
        send(errorReply(message.code, message.message));
        return finish(message.status, message);
      }
      if (refusal) {
        send(refusalOf(message, refusal));
        return finish(refusal.status, refusal);
      }
      if (!isOver && holder) finish(succeeded, await answerCalls(message, holder));
    },
    failed: (error: unknown) => {
      app.system.log.error({ err: error }, 'Gateway message failed');
      send(errorReply(rpcCodes.internal, 'internal error'));
    },
  };
};

/**
 * Creates a connection that serves one WebSocket client: all methods available over HTTP, filters and subscriptions.
 */
export const createConnection = (
  app: App,
  line: Line,
  target: ConnectionTarget,
  pressure: Backpressure,
): Connection => {
  const { socket } = line;
  let isAlive = true;
  let pings = 0;
  let isCut = false;
  let closeTimer: NodeJS.Timeout | undefined;

  const close = (code: number, reason: string) => {
    outbox.close();
    subscriptions.close();
    socket.close(code, reason);
    closeTimer ??= setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
  };
  const cut = () => {
    if (isCut) return;
    isCut = true;
    stop();
    close(closeCodes.tryLater, 'too much unread data');
    if (socket.bufferedAmount > maxUnreadAtClose) socket.terminate();
  };
  const outbox = createOutbox(line, pressure, cut);
  const subscriptions = createSubscriptions({ feed: target.feed, outbox, system: app.system, pressure });
  const buffered = () => (isCut ? 0 : socket.bufferedAmount);
  const send = (message: string | Buffer) => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > maxUnread) cut();
    else socket.send(message, text);
    if (message.length > maxUnreadAtClose) pressure.checkAll();
  };
  const { take, failed, leave, arriving, stop } = createAnswering(app, target, subscriptions, { send, pressure });

  onEachMessage(socket, take, failed);
  socket.on('message', () => (isAlive = true));
  socket.on('pong', () => (isAlive = true));
  socket.on('ping', () => {
    pings++;
    if (pings === maxPings) close(closeCodes.policy, 'too many pings');
  });
  // The library closes the socket after an error. Without a listener the error would be thrown.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearTimeout(closeTimer);
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
