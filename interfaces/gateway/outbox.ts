import type { WebSocket } from 'ws';
import type { Told } from '../../application/gateway/told.js';
import { notificationFor, type Prefix } from './notification.js';

/** When so many notifications wait, the client is taken not to read any more. */
const mostWaiting = 10_000;
/** So many are handed to the connection at a time; the rest wait unwritten, at the cost of two references each. */
const window = 16;
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
  let inFlight = 0;
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
  const sent = () => {
    inFlight--;
    flush();
  };
  const transmit = (one: Told, { id, prefix }: Subscriber) => {
    inFlight++;
    socket.send(notificationFor(one, prefix, id), text, sent);
  };
  const flush = () => {
    while (isOpen && inFlight < window && queued() > 0) {
      const [one, subscriber] = [told[first] as Told, subscribers[first] as Subscriber];
      advance();
      transmit(one, subscriber);
    }
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
    waiting: () => queued() + inFlight,
    push: (one: Told, subscriber: Subscriber) => {
      if (!isOpen) return;
      if (inFlight < window && queued() === 0) return transmit(one, subscriber);
      told.push(one);
      subscribers.push(subscriber);
      pressure.waiting++;
      if (queued() + inFlight >= mostWaiting) cut();
      else pressure.relieve();
    },
    cut,
    close,
  };
};
const text = { binary: false };
