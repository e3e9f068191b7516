import type { System } from '../ports/system.js';

/** Message serialized once for all its recipients. */
export type Notification = { readonly json: string };
export type Listener = (notification: Notification) => void;
/** Function that ends a subscription. */
export type Leave = () => void;

/** Number of listener calls after which the event loop runs other work. */
const notifiedPerTurn = 500;

/**
 * Returns a function that calls each listener, and lets the event loop run other work after `notifiedPerTurn` calls.
 */
export const createListenerLoop = ({ breathe }: Pick<System, 'breathe'>) => {
  let notified = 0;
  return async <T>(listeners: Iterable<T>, notify: (listener: T) => void) => {
    for (const listener of listeners) {
      if (++notified % notifiedPerTurn === 0) await breathe();
      notify(listener);
    }
  };
};

export const toNotification = (value: unknown): Notification => ({ json: JSON.stringify(value) });
