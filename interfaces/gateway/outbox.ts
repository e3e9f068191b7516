import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Pressure } from '../../application/gateway/backpressure.js';
import type { Told } from '../../application/gateway/notification.js';
import { frameFor, type Prefix } from './notification.js';

/** When so many notifications wait, the client is taken not to read any more. */
export const mostWaiting = 10_000;
/** So many bytes are handed to the connection; what comes then waits unwritten, at the cost of two references each. */
const mostHanded = 16_384;
/** Behind the first so many of the queue that are gone it is moved up. */
const slack = 1024;

export type Subscriber = { readonly id: string; readonly prefix: Prefix };

/** A connection, and what its frames are written to. */
export type Line = { readonly socket: WebSocket; readonly wire: Duplex };

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * The notifications of one connection, in order, at the pace the client reads them. They are written as frames straight
 * to the connection: a library would frame them anew for every client.
 */
export const createOutbox = ({ socket, wire }: Line, pressure: Pressure, overflow: () => void) => {
  let told: Told[] = [];
  let subscribers: Subscriber[] = [];
  let first = 0;
  let bytes = 0;
  /** The connection has enough, and tells when it has sent it. */
  let isFull = false;
  let isOpen = true;

  const queued = () => told.length - first;
  const advance = (one: Told) => {
    first++;
    bytes -= one.json.length;
    pressure.release(one);
    if (first < slack || first * 2 < told.length) return;
    told = told.slice(first);
    subscribers = subscribers.slice(first);
    first = 0;
  };
  const drained = () => {
    isFull = false;
    while (isOpen && !isFull && queued() > 0) {
      const [one, subscriber] = [told[first] as Told, subscribers[first] as Subscriber];
      advance(one);
      transmit(one, subscriber);
    }
  };
  const transmit = (one: Told, { id, prefix }: Subscriber) => {
    // Nothing may follow the frame that closes a connection.
    if (socket.readyState !== socket.OPEN) return;
    const frame = frameFor[prefix](one);
    const { bytes: own, idAt } = frame;
    own.write(id, idAt, 'latin1');
    isFull = wire.writableLength + own.length > mostHanded;
    if (isFull) wire.write(own, drained);
    else wire.write(own);
    // Most connections have sent it by now. One that has not keeps these bytes, and who comes next gets others.
    if (wire.writableLength > 0) frame.bytes = Buffer.from(own);
  };
  const close = () => {
    isOpen = false;
    for (let i = first; i < told.length; i++) pressure.release(told[i] as Told);
    told = [];
    subscribers = [];
    first = 0;
    bytes = 0;
  };

  return {
    /** What waits, as if it waited for this client alone. */
    bytes: () => bytes,
    push: (one: Told, subscriber: Subscriber) => {
      if (!isOpen) return;
      if (!isFull) return transmit(one, subscriber);
      told.push(one);
      subscribers.push(subscriber);
      bytes += one.json.length;
      pressure.hold(one);
      if (queued() >= mostWaiting) overflow();
      else pressure.check();
    },
    close,
  };
};
