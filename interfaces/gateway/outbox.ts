import type { WebSocket } from 'ws';
import type { Told } from '../../application/gateway/told.js';
import { notificationFor, type Prefix } from './notification.js';

/** When so many notifications wait, the client is taken not to read any more. */
const mostWaiting = 10_000;
/** So many bytes are handed to the connection; what comes then waits unwritten, at the cost of two references each. */
const mostHanded = 16_384;
/** Behind the first so many of the queue that are gone it is moved up. */
const slack = 1024;

export type Subscriber = { readonly id: string; readonly prefix: Prefix };

/** All outboxes together, so that many slow clients do not use up the memory either. */
export type Pressure = {
  waiting: number;
  relieve(): void;
};

export type Outbox = ReturnType<typeof createOutbox>;

/** The notifications of one connection, in order, at the pace the client reads them. */
export const createOutbox = (socket: WebSocket, pressure: Pressure, overflow: () => void) => {
  let told: Told[] = [];
  let subscribers: Subscriber[] = [];
  let first = 0;
  /** The connection has enough, and tells when it has sent it. */
  let isFull = false;
  let isOpen = true;

  const queued = () => told.length - first;
  const advance = () => {
    first++;
    pressure.waiting--;
    if (first < slack || first * 2 < told.length) return;
    told = told.slice(first);
    subscribers = subscribers.slice(first);
    first = 0;
  };
  const drained = () => {
    isFull = false;
    while (isOpen && !isFull && queued() > 0) {
      const [one, subscriber] = [told[first] as Told, subscribers[first] as Subscriber];
      advance();
      transmit(one, subscriber);
    }
  };
  const transmit = (one: Told, { id, prefix }: Subscriber) => {
    const message = notificationFor(one, prefix, id);
    isFull = socket.bufferedAmount + message.length > mostHanded;
    if (isFull) socket.send(message, text, drained);
    else socket.send(message, text);
  };
  const close = () => {
    isOpen = false;
    pressure.waiting -= queued();
    told = [];
    subscribers = [];
    first = 0;
  };
  const cut = () => {
    close();
    overflow();
  };

  return {
    waiting: queued,
    push: (one: Told, subscriber: Subscriber) => {
      if (!isOpen) return;
      if (!isFull) return transmit(one, subscriber);
      told.push(one);
      subscribers.push(subscriber);
      pressure.waiting++;
      if (queued() >= mostWaiting) cut();
      else pressure.relieve();
    },
    cut,
    close,
  };
};
const text = { binary: false };
