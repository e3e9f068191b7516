import { type Holder, holderKey } from './activities.js';

export type Departure = { readonly holder: Holder; readonly address: string; readonly head: number };

/** Index of removed addresses that still belong to their wallet in blocks up to the height `head`. */
export const createDepartures = () => {
  const departing = new Map<string, Departure>();
  const keyOf = (holder: Holder, address: string) => `${holderKey(holder)} ${address}`;
  return {
    add: (departure: Departure) => {
      departing.set(keyOf(departure.holder, departure.address), departure);
    },
    remove: (holder: Holder, address: string) => {
      departing.delete(keyOf(holder, address));
    },
    /** Returns true when the wallet no longer holds the address in a block of that height. */
    isGone: (holder: Holder, address: string, height: number) =>
      departing.size > 0 && (departing.get(keyOf(holder, address))?.head ?? height) < height,
    /** Removes and returns the departures whose `head` is at or below a final height. */
    takeUpTo: (height: number): readonly Departure[] => {
      const over = [...departing.values()].filter(({ head }) => head <= height);
      for (const { holder, address } of over) departing.delete(keyOf(holder, address));
      return over;
    },
  };
};
