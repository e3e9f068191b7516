import type { Fees } from '../../domain/aggregates/transaction/transaction-data.js';
import { fail, invalid } from '../../domain/failure.js';
import type { Sending } from '../ports/chain.js';

/**
 * Fees of a request. `gasPrice` makes a transaction of type 0. `maxFeePerGas` or `maxPriorityFeePerGas`, or both, make
 * a transaction of type 2.
 */
export type GivenFees = {
  readonly gasPrice: string | undefined;
  readonly maxFeePerGas: string | undefined;
  readonly maxPriorityFeePerGas: string | undefined;
};
export const noGivenFees: GivenFees = {
  gasPrice: undefined,
  maxFeePerGas: undefined,
  maxPriorityFeePerGas: undefined,
};

/** Raises a fee by 12.5 %. Nodes accept a replacement only if it pays at least 10 % more; some nodes require 12.5 %. */
const outbid = (fee: string) => ((BigInt(fee) * 1125n + 999n) / 1000n).toString();
const maxAmount = (a: string, b: string) => (BigInt(a) > BigInt(b) ? a : b);
const minAmount = (a: string, b: string) => (BigInt(a) < BigInt(b) ? a : b);

/** Lowest fees with which nodes replace a sent transaction with another transaction. */
type Floor = { readonly fee: string; readonly priority: string };
const noFloor: Floor = { fee: '0', priority: '0' };
/**
 * Returns the lowest fees of a replacement. The gas price of a transaction of type 0 is both its maximum fee and its
 * priority fee.
 */
const floorOf = ({ gasPrice, maxPriorityFeePerGas = gasPrice }: Fees): Floor => ({
  fee: outbid(gasPrice),
  priority: outbid(maxPriorityFeePerGas),
});

const feeBits = 256;
const checked = (field: string, fee: string, least: string) => {
  if (BigInt(fee) >= 2n ** BigInt(feeBits)) return invalid(`/${field}`, `must be less than 2^${feeBits}`);
  return BigInt(fee) >= BigInt(least)
    ? fee
    : fail('FAILED_PRECONDITION', `${field} must be at least ${least} to replace a sent transaction, not ${fee}`);
};

/** Returns the given price, or the node's suggestion raised to at least the floor. */
const gasPriceOf = async (sending: Sending, given: string | undefined, { fee, priority }: Floor): Promise<Fees> => {
  const least = maxAmount(fee, priority);
  return {
    gasPrice: given === undefined ? maxAmount(await sending.gasPrice(), least) : checked('gas_price', given, least),
  };
};

/** Returns the given fees. The node suggests missing fees; the maximum fee leaves room for a doubled base fee. */
const dynamicFeesOf = async (sending: Sending, given: GivenFees, floor: Floor): Promise<Fees> => {
  const { maxFeePerGas, maxPriorityFeePerGas } = given;
  const isComplete = maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined;
  const suggested = isComplete ? null : await sending.suggestedFees();
  const suggestedPriority = maxAmount(suggested?.priorityFee ?? '0', floor.priority);
  const priority =
    maxPriorityFeePerGas === undefined
      ? minAmount(suggestedPriority, maxFeePerGas ?? suggestedPriority)
      : checked('max_priority_fee_per_gas', maxPriorityFeePerGas, floor.priority);
  const withRoom = (2n * BigInt(suggested?.baseFee ?? 0) + BigInt(priority)).toString();
  const fee =
    maxFeePerGas === undefined
      ? maxAmount(withRoom, floor.fee)
      : checked('max_fee_per_gas', maxFeePerGas, maxAmount(floor.fee, floor.priority));
  return BigInt(priority) <= BigInt(fee)
    ? { gasPrice: fee, maxPriorityFeePerGas: priority }
    : invalid('/max_priority_fee_per_gas', `must be at most max_fee_per_gas, which is ${fee}, not ${priority}`);
};

/**
 * Returns the fees of a new transaction. If the transaction replaces a sent transaction, the fees are high enough for
 * the replacement, and of the same type as the sent transaction's fees unless fees of another type are given.
 */
export const feesOf = (sending: Sending, given: GivenFees, replaced: Fees | null): Promise<Fees> => {
  const floor = replaced ? floorOf(replaced) : noFloor;
  const isDynamic = given.maxFeePerGas !== undefined || given.maxPriorityFeePerGas !== undefined;
  if (isDynamic && given.gasPrice !== undefined)
    return invalid('/gas_price', 'cannot be combined with max_fee_per_gas and max_priority_fee_per_gas');
  const keepsType = given.gasPrice === undefined && replaced?.maxPriorityFeePerGas !== undefined;
  return isDynamic || keepsType ? dynamicFeesOf(sending, given, floor) : gasPriceOf(sending, given.gasPrice, floor);
};
