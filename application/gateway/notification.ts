import type { System } from '../ports/system.js';

/** Message serialized once for all its recipients. */
export type Notification = { readonly json: string };
export type Listener = (told: Notification) => void;
/** Unsubscribes. */
export type Leave = () => void;

/** Clients told before other work gets a turn. */
const notifiedPerTurn = 500;

/** Returns a function that calls each listener, and gives other work a turn in between. */
export const createListenerLoop = ({ breathe }: Pick<System, 'breathe'>) => {
  let told = 0;
  return async <T>(listeners: Iterable<T>, tellOne: (listener: T) => void) => {
    for (const listener of listeners) {
      if (++told % notifiedPerTurn === 0) await breathe();
      tellOne(listener);
    }
  };
};

export const toNotification = (value: unknown): Notification => ({ json: JSON.stringify(value) });
