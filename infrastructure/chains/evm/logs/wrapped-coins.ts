import type { ChainLog } from '../checked-block.js';
import { isWrapping, nobody, readTokenLog } from '../token-logs.js';

const partyOf = (contract: string, address: string) => `${contract} ${address}`;

/** Finds the addresses that a Transfer of a contract names beside nobody or the contract itself. */
const transferred = (logs: readonly ChainLog[]) => {
  const found = new Set<string>();
  for (const { address, topics, data } of logs) {
    const contract = address.toLowerCase();
    const read = isWrapping(topics) ? null : readTokenLog(contract, topics, data);
    if (!read) continue;
    const isOther = (one: string) => one === nobody || one === contract;
    if (isOther(read.from)) found.add(partyOf(contract, read.to));
    if (isOther(read.to)) found.add(partyOf(contract, read.from));
  }
  return found;
};

/**
 * Tells which deposits and withdrawals of a receipt are transfers of their own. Where a Transfer of the same contract
 * mints, burns or stakes for the same address, that one is the transfer: the amounts are the same, or the deposit is of
 * another coin.
 */
export const createWrappings = (logs: readonly ChainLog[]) => {
  let told: ReadonlySet<string> | undefined;
  return {
    isTransfer: ({ address, topics, data }: ChainLog): boolean => {
      const contract = address.toLowerCase();
      const read = readTokenLog(contract, topics, data);
      if (!read || [...read.pieces()].length === 0) return false;
      told ??= transferred(logs);
      return !told.has(partyOf(contract, read.from === nobody ? read.to : read.from));
    },
  };
};
export type Wrappings = ReturnType<typeof createWrappings>;
