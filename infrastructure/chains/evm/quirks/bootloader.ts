import type { Raw } from '../../../nodes/raw.js';
import { zeroAddress } from '../token-logs.js';
import { quantity } from '../wire.js';

/** Transaction as its block reports it. `created` is the contract that it created, or null. */
export type SentTransaction = {
  readonly from: string;
  readonly to: string | null;
  readonly created: string | null;
  readonly value?: unknown;
};
type Transfer = { readonly from: string; readonly to: string; readonly value: bigint };

const systemContract = (number: string) => `0x${number.padStart(40, '0')}`;
/**
 * System contract that runs each transaction of a ZK Stack chain, collects the fee in advance and returns the unused
 * part.
 */
const bootloader = systemContract('8001');
/**
 * System contract that creates contracts: it forwards the coins for a new contract and calls the constructor on behalf
 * of the sender.
 */
const deployer = systemContract('8006');

/** Returns whether a trace has the bootloader as its root. The transaction is then one of the calls below the root. */
export const isRunByBootloader = ({ from, to }: Raw): boolean => from === zeroAddress && to === bootloader;

/**
 * Returns the address from which the coins of a call come. `around` is the frame of the call that made this call; null
 * for the root.
 */
export const payerOf = (frame: Raw, around: Raw | null): unknown =>
  around?.to === deployer && frame.from === around.from ? deployer : frame.from;

/** Returns the transfers that the block itself reports for a transaction. */
const reportedTransfers = ({ from, to, created, value }: SentTransaction): Transfer[] => {
  const steps = to === null ? [from, deployer, created ?? deployer] : [from, to];
  const amount = quantity(value ?? '0x0', 'the value');
  return steps.slice(1).map((next, i) => ({
    from: (steps[i] as string).toLowerCase(),
    to: next.toLowerCase(),
    value: amount,
  }));
};

/**
 * Returns a filter for the transfers of a trace with the bootloader as its root. The filter rejects the transaction's
 * own transfer, which the block reports, and the fee of its sender. A fee paid by another address counts as a transfer.
 */
export const createBootloaderFilter = (transaction: SentTransaction) => {
  const sender = transaction.from.toLowerCase();
  const reported = reportedTransfers(transaction);
  const isFee = ({ from, to }: Transfer) =>
    (from === sender && to === bootloader) || (from === bootloader && to === sender);
  return (transfer: Transfer): boolean => {
    if (isFee(transfer)) return false;
    const { from, to, value } = transfer;
    const place = reported.findIndex((one) => one.from === from && one.to === to && one.value === value);
    if (place >= 0) reported.splice(place, 1);
    return place < 0;
  };
};
