import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Backpressure } from '../../application/gateway/backpressure.js';
import type { Notification } from '../../application/gateway/notification.js';
import { frameFor, type Prefix } from './notification.js';

/** Waiting notifications at which a client counts as not reading any more. */
export const maxWaiting = 10_000;
/** Bytes handed to the connection; further notifications wait in the queue, where each costs two references. */
const maxHanded = 16_384;
/** Number of sent notifications at the front of the queue at which it is compacted. */
const slack = 1024;

export type Subscriber = { readonly id: string; readonly prefix: Prefix };

/** Connection, and the stream that its frames are written to. */
export type Line = { readonly socket: WebSocket; readonly wire: Duplex };

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * Sends the notifications of one connection in order, at the pace the client reads them. Frames are written straight to
 * the connection, because the library would build them anew for every client.
 */
export const createOutbox = ({ socket, wire }: Line, pressure: Backpressure, overflow: () => void) => {
  let told: Notification[] = [];
  let subscribers: Subscriber[] = [];
  let first = 0;
  let bytes = 0;
  /** True while the connection has enough to send; `drained` is called once that is sent. */
  let isFull = false;
  let isOpen = true;

  const queued = () => told.length - first;
  const advance = (one: Notification) => {
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
      const [one, subscriber] = [told[first] as Notification, subscribers[first] as Subscriber];
      advance(one);
      transmit(one, subscriber);
    }
  };
  const transmit = (one: Notification, { id, prefix }: Subscriber) => {
    // No frame may follow the one that closes a connection.
    if (socket.readyState !== socket.OPEN) return;
    const frame = frameFor[prefix](one);
    const { bytes: own, idAt } = frame;
    own.write(id, idAt, 'latin1');
    isFull = wire.writableLength + own.length > maxHanded;
    if (isFull) wire.write(own, drained);
    else wire.write(own);
    // A connection that has not sent the frame yet keeps these bytes, so the next subscriber gets a copy.
    if (wire.writableLength > 0) frame.bytes = Buffer.from(own);
  };
  const close = () => {
    isOpen = false;
    for (let i = first; i < told.length; i++) pressure.release(told[i] as Notification);
    told = [];
    subscribers = [];
    first = 0;
    bytes = 0;
  };

  return {
    /** Returns the size of the waiting notifications, in full although clients share them. */
    bytes: () => bytes,
    push: (one: Notification, subscriber: Subscriber) => {
      if (!isOpen) return;
      if (!isFull) return transmit(one, subscriber);
      told.push(one);
      subscribers.push(subscriber);
      bytes += one.json.length;
      pressure.hold(one);
      if (queued() >= maxWaiting) overflow();
      else pressure.check();
    },
    close,
  };
};
