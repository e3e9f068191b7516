import type { System } from '../ports/system.js';

/** Message serialized once for all its recipients. */
export type Told = { readonly json: string };
export type Hear = (told: Told) => void;
/** Unsubscribes. */
export type Leave = () => void;

/** Clients told before other work gets a turn. */
const toldAtOnce = 500;

/** Returns a function that calls each listener, and gives other work a turn in between. */
export const createTelling = ({ breathe }: Pick<System, 'breathe'>) => {
  let told = 0;
  return async <T>(listeners: Iterable<T>, tellOne: (listener: T) => void) => {
    for (const listener of listeners) {
      if (++told % toldAtOnce === 0) await breathe();
      tellOne(listener);
    }
  };
};

export const tell = (value: unknown): Told => ({ json: JSON.stringify(value) });
