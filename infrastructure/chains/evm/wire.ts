import type { Header } from '../../../application/ports/chain.js';
import { wrong } from '../nodes/node-fault.js';
import { record } from '../nodes/raw.js';

const longestQuantity = 66;
const hexPattern = /^0x[0-9a-fA-F]+$/;
const hashPattern = /^0x[0-9a-f]{64}$/;
const addressPattern = /^0x[0-9a-f]{40}$/;

/** The length is looked at first: reading a number of a million digits takes half a second. */
const isQuantity = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longestQuantity && hexPattern.test(value);

export const quantity = (value: unknown, what: string): bigint =>
  isQuantity(value) ? BigInt(value) : wrong(`${what} is no quantity`);

export const integer = (value: unknown, what: string): number => {
  const read = isQuantity(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(read) ? read : wrong(`${what} is no small quantity`);
};

export const inHex = (value: number | bigint): string => `0x${value.toString(16)}`;

export const hash = (value: unknown, what: string): string => {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return hashPattern.test(text) ? text : wrong(`${what} is no hash`);
};

export const address = (value: unknown, what: string): string => {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return addressPattern.test(text) ? text : wrong(`${what} is no address`);
};

export const header = (value: unknown): Header => {
  const raw = record(value, 'the block');
  return {
    number: integer(raw.number, 'the block number'),
    hash: hash(raw.hash, 'the block hash'),
    parentHash: hash(raw.parentHash, 'the parent hash'),
    time: integer(raw.timestamp, 'the block time'),
  };
};
