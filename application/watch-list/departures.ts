import { type Holder, holderKey } from './activities.js';
import { createDueHeights } from './due-heights.js';

export type Departure = { readonly holder: Holder; readonly address: string; readonly head: number };

/**
 * Index of removed addresses that still belong to their wallet in blocks up to the height `head`. Departures are ordered
 * by that height, so that a final block visits only the departures that it ends.
 */
export const createDepartures = () => {
  const departing = new Map<string, Departure>();
  /** Keys by height, also of departures that were removed since. */
  const heads = createDueHeights<string>();
  const keyOf = (holder: Holder, address: string) => `${holderKey(holder)} ${address}`;
  const take = (key: string): readonly Departure[] => {
    const departure = departing.get(key);
    departing.delete(key);
    return departure ? [departure] : [];
  };
  return {
    add: (departure: Departure) => {
      const key = keyOf(departure.holder, departure.address);
      departing.set(key, departure);
      heads.set(departure.head, key);
    },
    remove: (holder: Holder, address: string) => {
      departing.delete(keyOf(holder, address));
    },
    /** Returns true when the wallet no longer holds the address in a block of that height. */
    isGone: (holder: Holder, address: string, height: number) =>
      departing.size > 0 && (departing.get(keyOf(holder, address))?.head ?? height) < height,
    /** Removes and returns the departures whose `head` is at or below a final height. */
    takeUpTo: (height: number): readonly Departure[] => heads.takeUpTo(height).flatMap(take),
  };
};
