import { type Holder, holderKey } from './activities.js';

export type Departure = { readonly holder: Holder; readonly address: string; readonly head: number };

/** Keeps removed addresses that still count for their wallet up to a height. */
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
    /** Tells whether a wallet has the address no longer in a block of that height. */
    isGone: (holder: Holder, address: string, height: number) =>
      departing.size > 0 && (departing.get(keyOf(holder, address))?.head ?? height) < height,
    /** Removes and returns those that count no more, because blocks up to their height are final. */
    takeUpTo: (height: number): readonly Departure[] => {
      const over = [...departing.values()].filter(({ head }) => head <= height);
      for (const { holder, address } of over) departing.delete(keyOf(holder, address));
      return over;
    },
  };
};
