import type { Header } from '../../../application/ports/chain.js';
import { isPaddedQuantity } from '../../../domain/rpc-value.js';
import { failInvalidAnswer } from '../../nodes/node-fault.js';
import { type Raw, record } from '../../nodes/raw.js';

const hashPattern = /^0x[0-9a-f]{64}$/;
const addressPattern = /^0x[0-9a-f]{40}$/;

export const quantity = (value: unknown, what: string): bigint =>
  isPaddedQuantity(value) ? BigInt(value) : failInvalidAnswer(`${what} is not a hex quantity`);

export const integer = (value: unknown, what: string): number => {
  const read = isPaddedQuantity(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(read) ? read : failInvalidAnswer(`${what} is not a hex quantity below 2^53`);
};

/** Returns whether a receipt's status is 0, padded or not. Old receipts without a status succeeded. */
export const isFailed = (status: unknown): boolean =>
  status === '0x0' || (typeof status === 'string' && status !== '0x1' && quantity(status, 'the status') === 0n);

/** Returns whether a quantity is absent or zero. */
export const isNothing = (value: unknown) => value === undefined || value === null || value === '0x0';
/** Reads a quantity; 0 if it is absent. */
export const amount = (value: unknown, what: string) => (isNothing(value) ? 0n : quantity(value, what));

/** Returns the gas fee of a receipt. On a rollup, the fee includes the data fee of the lower layer (`l1Fee`). */
export const gasFee = ({ gasUsed, l1Fee }: Raw, price: unknown): bigint =>
  amount(gasUsed, 'the gas used') * amount(price, 'the gas price') + amount(l1Fee, 'the fee of the lower layer');

export const inHex = (value: number | bigint): string => `0x${value.toString(16)}`;

export const hash = (value: unknown, what: string): string => {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return hashPattern.test(text) ? text : failInvalidAnswer(`${what} is not a hash`);
};

export const address = (value: unknown, what: string): string => {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return addressPattern.test(text) ? text : failInvalidAnswer(`${what} is not an address`);
};

const noParent = `0x${'0'.repeat(64)}`;
/** Reads the parent hash. Some networks leave the parent hash empty in the first block, whose number is 0 or 1. */
const parentHashIn = ({ parentHash }: Raw, number: number) =>
  parentHash === '0x' && number <= 1 ? noParent : hash(parentHash, 'the parent hash');

export const header = (value: unknown): Header => {
  const raw = record(value, 'the block');
  const number = integer(raw.number, 'the block number');
  return {
    number,
    hash: hash(raw.hash, 'the block hash'),
    parentHash: parentHashIn(raw, number),
    time: integer(raw.timestamp, 'the block time'),
  };
};
