import type { ChainLog } from '../checked-block.js';
import { isWrapping, readTokenLog, zeroAddress } from '../token-logs.js';

const partyOf = (contract: string, address: string) => `${contract} ${address}`;

/** Returns the counterparties of Transfer events from or to the zero address or the contract itself. */
const transferred = (logs: readonly ChainLog[]) => {
  const found = new Set<string>();
  for (const { address, topics, data } of logs) {
    const contract = address.toLowerCase();
    const read = isWrapping(topics) ? null : readTokenLog(contract, topics, data);
    if (!read) continue;
    const isMinterOrBurner = (one: string) => one === zeroAddress || one === contract;
    if (isMinterOrBurner(read.from)) found.add(partyOf(contract, read.to));
    if (isMinterOrBurner(read.to)) found.add(partyOf(contract, read.from));
  }
  return found;
};

/**
 * Creates a function that returns whether a Deposit or Withdrawal event of a receipt counts as a transfer. An event
 * does not count if the contract also emitted a Transfer between the event's address and the zero address or the
 * contract itself: the Transfer then reports the same coins, or the event reports a different coin that the contract
 * took.
 */
export const createWrappings = (logs: readonly ChainLog[]) => {
  let parties: ReadonlySet<string> | undefined;
  return {
    isTransfer: ({ address, topics, data }: ChainLog): boolean => {
      const contract = address.toLowerCase();
      const read = readTokenLog(contract, topics, data);
      if (!read || [...read.pieces()].length === 0) return false;
      parties ??= transferred(logs);
      return !parties.has(partyOf(contract, read.from === zeroAddress ? read.to : read.from));
    },
  };
};
export type Wrappings = ReturnType<typeof createWrappings>;
