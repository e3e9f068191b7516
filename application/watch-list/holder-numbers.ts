import { type Holder, holderKey } from './activities.js';

/**
 * Creates an index that assigns a number to each wallet of all organizations, and keeps the wallet's confirmation
 * threshold.
 */
export const createHolderNumbers = () => {
  const holders: Holder[] = [];
  const numbers = new Map<string, number>();
  const confirmations = new Map<number, number>();
  const numberOf = (holder: Holder) => {
    const key = holderKey(holder);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, holders.length);
    holders.push(holder);
    return holders.length - 1;
  };
  return {
    numberOf,
    of: (number: number) => holders[number] as Holder,
    confirm: (holder: Holder, confirmation: number | undefined) => {
      if (confirmation !== undefined) confirmations.set(numberOf(holder), confirmation);
    },
    /** Returns the wallet's confirmation threshold; null when the wallet has no threshold of its own. */
    confirmation: (holder: Holder) => confirmations.get(numbers.get(holderKey(holder)) ?? -1) ?? null,
  };
};
