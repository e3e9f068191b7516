import type { EventInvalidatedCache } from '../access/event-invalidated-cache.js';
import { organizationOf, type Position } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import { notifyingTypes } from './event-notifications.js';

/** Waits for new notifications of one organization. */
export type Subscription = {
  /**
   * Resolves with the position of the newest event since the last call; null if no event arrives within `ms` or the
   * service stops.
   */
  next(ms: number): Promise<Position | null>;
  /** Returns true once the service is stopping. */
  isEnded(): boolean;
  close(): void;
};

/** Wakes requests that wait for notifications, when an event arrives from this or another process. */
export type Arrivals = EventInvalidatedCache & {
  /** Returns null if the organization has too many open subscriptions in this process, or the service is stopping. */
  subscribe(organizationId: string): Subscription | null;
  /** Ends all waits, so that the service can stop. */
  stop(): void;
};

/**
 * Maximum number of open subscriptions of an organization in this process: a quarter of the maximum number of
 * concurrent requests of an organization.
 */
export const maxSubscriptions = 32;

type Waiter = { position: Position | null; wake: () => void };

export const createArrivals = ({ system }: { system: Pick<System, 'sleep'> }): Arrivals => {
  const waiting = new Map<string, Set<Waiter>>();
  let isStopping = false;
  const wakeAll = () => {
    for (const waiters of waiting.values()) for (const { wake } of waiters) wake();
  };
  const open = (organizationId: string, waiters: Set<Waiter>): Subscription => {
    const waiter: Waiter = { position: null, wake: () => undefined };
    waiting.set(organizationId, waiters.add(waiter));
    const take = () => {
      const { position } = waiter;
      waiter.position = null;
      return position;
    };
    return {
      next: async (ms) => {
        if (waiter.position !== null || isStopping) return take();
        const over = new AbortController();
        waiter.wake = () => over.abort();
        await system.sleep(ms, over.signal);
        return take();
      },
      isEnded: () => isStopping,
      close: () => {
        waiters.delete(waiter);
        if (waiters.size === 0) waiting.delete(organizationId);
      },
    };
  };

  return {
    subscribe: (organizationId) => {
      const waiters = waiting.get(organizationId) ?? new Set<Waiter>();
      return isStopping || waiters.size >= maxSubscriptions ? null : open(organizationId, waiters);
    },
    onEvent: ({ type, stream, position }) => {
      if (!notifyingTypes.has(type)) return;
      for (const waiter of waiting.get(organizationOf(stream)) ?? []) {
        waiter.position = position;
        waiter.wake();
      }
    },
    clear: wakeAll,
    stop: () => {
      isStopping = true;
      wakeAll();
    },
  };
};
