import { type RawData, WebSocket } from 'ws';
import type { Waiter } from '../../application/async/cancellation.js';
import { NodeFault } from '../chains/nodes/node-fault.js';
import { type Envelope, readEnvelope } from './envelope.js';
import { connectMs, envelopeOf, type Link, longestAnswer } from './link.js';
import { limited } from './with-timeout.js';

const silentMs = 30_000;

const lost = () => new NodeFault('failing', 'the connection was lost');

type Waiting = { resolve(envelope: Envelope): void; reject(fault: NodeFault): void };
type Notice = { readonly params?: { readonly subscription?: unknown; readonly result?: unknown } };

const bytesOf = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};

/** One connection while it lasts; what is asked over it when it ends fails. */
const connect = (url: URL) => {
  const socket = new WebSocket(url, {
    maxPayload: longestAnswer,
    perMessageDeflate: false,
    handshakeTimeout: connectMs,
  });
  const waiting = new Map<string, Waiting>();
  const listeners = new Map<unknown, (result: unknown) => void>();
  let lastId = 0;

  const take = (bytes: Buffer) => {
    const envelope = readEnvelope(bytes);
    if (envelope?.id != null) {
      waiting.get(envelope.id)?.resolve(envelope);
      waiting.delete(envelope.id);
      return;
    }
    const { params } = JSON.parse(bytes.toString()) as Notice;
    listeners.get(params?.subscription)?.(params?.result);
  };
  // A node that is gone without a word is found out by a ping that stays without an answer.
  let isAlive = true;
  const watch = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    return socket.ping();
  }, silentMs);
  socket.on('pong', () => (isAlive = true));
  socket.on('message', (data) => {
    isAlive = true;
    try {
      take(bytesOf(data));
    } catch {
      // Nobody can tell what was meant, so nothing that is still to come can be trusted.
      socket.terminate();
    }
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    // An error is always followed by the end of the connection.
    socket.on('error', () => reject(lost()));
  });
  opened.catch(() => undefined);
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      clearInterval(watch);
      for (const { reject } of waiting.values()) reject(lost());
      waiting.clear();
      resolve();
    });
  });
  const exchange = async (method: string, params: string, waiter: Waiter) => {
    await opened;
    const id = ++lastId;
    return await new Promise<Envelope>((resolve, reject) => {
      const done = waiter.onLeave(() => {
        waiting.delete(String(id));
        reject(lost());
      });
      const settle: Waiting = {
        resolve: (envelope) => {
          done();
          resolve(envelope);
        },
        reject: (fault) => {
          done();
          reject(fault);
        },
      };
      waiting.set(String(id), settle);
      socket.send(envelopeOf(method, params, id), (error) => error && settle.reject(lost()));
    });
  };
  return { exchange, listeners, ended, terminate: () => socket.terminate() };
};

type Connection = ReturnType<typeof connect>;

const subscribe = async (connection: Connection, name: string) => {
  const answer = await limited(connectMs, (waiter) =>
    connection.exchange('eth_subscribe', JSON.stringify([name]), waiter),
  );
  if ('error' in answer) throw new NodeFault('unsupported', `does not take subscriptions to ${name}`);
  return JSON.parse(answer.result.toString()) as unknown;
};

const endOf = async ({ ended }: Connection, signal: AbortSignal) => {
  const settled = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { signal: settled.signal });
    if (signal.aborted) resolve();
  });
  await Promise.race([ended, aborted]);
  settled.abort();
};

/** Connects when it is needed, and again after a loss. */
export const socketLink = (url: URL): Link => {
  let current: Connection | null = null;
  let isClosed = false;
  const connection = () => {
    if (isClosed) throw lost();
    if (current) return current;
    const made = connect(url);
    current = made;
    void made.ended.then(() => {
      if (current === made) current = null;
    });
    return made;
  };
  return {
    exchange: async (method, params, waiter) => await connection().exchange(method, params, waiter),
    listen: async (name, notice, signal, begun) => {
      const used = connection();
      const id = await subscribe(used, name);
      used.listeners.set(id, notice);
      begun?.();
      await endOf(used, signal);
      used.listeners.delete(id);
      const unsubscribe = (waiter: Waiter) => used.exchange('eth_unsubscribe', JSON.stringify([id]), waiter);
      void limited(connectMs, unsubscribe).catch(() => undefined);
    },
    close: async () => {
      isClosed = true;
      const last = current;
      last?.terminate();
      await last?.ended;
    },
  };
};
