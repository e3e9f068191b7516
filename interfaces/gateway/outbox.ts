import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Backpressure } from '../../application/gateway/backpressure.js';
import type { Notification } from '../../application/gateway/notification.js';
import { frameFor, type Prefix } from './notification.js';

/** Maximum number of queued notifications; a client with more is disconnected. */
export const maxWaiting = 10_000;
/**
 * Number of bytes buffered in the stream above which further notifications wait in the queue. A queued notification
 * costs only two references.
 */
const maxHanded = 16_384;
/** Minimum number of sent notifications at the front of the queue before they are removed from it. */
const slack = 1024;

export type Subscriber = { readonly id: string; readonly prefix: Prefix };

/** WebSocket, and the stream that its frames are written to. */
export type Line = { readonly socket: WebSocket; readonly wire: Duplex };

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * Creates an outbox, which sends the notifications of one connection in order, as fast as the client reads them. Frames
 * are written directly to the stream, because the WebSocket library would build each frame again for every client.
 */
export const createOutbox = ({ socket, wire }: Line, pressure: Backpressure, overflow: () => void) => {
  let queue: Notification[] = [];
  let subscribers: Subscriber[] = [];
  let first = 0;
  let bytes = 0;
  /** True if the stream has buffered enough data. `drained` is then called after that data was sent. */
  let isFull = false;
  let isOpen = true;

  const queued = () => queue.length - first;
  const advance = (one: Notification) => {
    first++;
    bytes -= one.json.length;
    pressure.release(one);
    if (first < slack || first * 2 < queue.length) return;
    queue = queue.slice(first);
    subscribers = subscribers.slice(first);
    first = 0;
  };
  const drained = () => {
    isFull = false;
    while (isOpen && !isFull && queued() > 0) {
      const [one, subscriber] = [queue[first] as Notification, subscribers[first] as Subscriber];
      advance(one);
      transmit(one, subscriber);
    }
  };
  const transmit = (one: Notification, { id, prefix }: Subscriber) => {
    // Drops the notification, because no frame may follow the close frame.
    if (socket.readyState !== socket.OPEN) return;
    const frame = frameFor[prefix](one);
    const { bytes: own, idAt } = frame;
    own.write(id, idAt, 'latin1');
    isFull = wire.writableLength + own.length > maxHanded;
    if (isFull) wire.write(own, drained);
    else wire.write(own);
    // Gives the next subscriber a copy of the frame if the stream has not sent these bytes yet, because writing the
    // next id would change them.
    if (wire.writableLength > 0) frame.bytes = Buffer.from(own);
  };
  const close = () => {
    isOpen = false;
    for (let i = first; i < queue.length; i++) pressure.release(queue[i] as Notification);
    queue = [];
    subscribers = [];
    first = 0;
    bytes = 0;
  };

  return {
    /**
     * Returns the size of the queued notifications in bytes. A notification that is queued for several connections
     * counts in full for each.
     */
    bytes: () => bytes,
    push: (one: Notification, subscriber: Subscriber) => {
      if (!isOpen) return;
      if (!isFull) return transmit(one, subscriber);
      queue.push(one);
      subscribers.push(subscriber);
      bytes += one.json.length;
      pressure.hold(one);
      if (queued() >= maxWaiting) overflow();
      else pressure.check();
    },
    close,
  };
};
