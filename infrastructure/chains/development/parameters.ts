import { chains } from '../../../domain/variant.js';
import type { TokenType } from './evm/tokens.js';
import { invalid } from './rpc-error.js';

const wordEnd = 2n ** 256n;

/** Reads a decimal or hex string, or a safe JSON integer, as a number below 2^256. */
export const readNumber = (name: string, value: unknown) => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const number = typeof text === 'string' && /^(?:\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(text) ? BigInt(text) : wordEnd;
  return number < wordEnd ? number : invalid(`${name} must be a whole number below 2^256, and a string from 2^53 on`);
};

export const readCount = (name: string, value: unknown, most = Number.MAX_SAFE_INTEGER) => {
  const count = readNumber(name, value);
  return count <= most ? Number(count) : invalid(`${name} must be at most ${most}`);
};

export const readOptional = (name: string, value: unknown) => (value == null ? undefined : readNumber(name, value));

export const readAddress = (name: string, value: unknown) =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
    ? value.toLowerCase()
    : invalid(`${name} must be an address: 0x followed by 40 hex digits`);

export const readOptions = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : invalid('the parameter must be an object');

export const readType = (value: unknown): TokenType => {
  const standard = /^(?:CONTRACT_TYPE_)?ERC[-_]?(20|721|1155)$/i.exec(String(value))?.[1];
  return standard ? (`ERC-${standard}` as TokenType) : invalid('type must be one of ERC-20, ERC-721, ERC-1155');
};

const tagsOnEvm = chains.filter(({ family }) => family === 'evm').map(({ tag }) => tag);
/** Returns whether a variant uses the development EVM. Each other variant has a development chain of its own. */
export const isOnEvm = (variant: unknown) => tagsOnEvm.some((tag) => tag === String(variant).toUpperCase());
/** Rejects a variant. The message lists the allowed variants: the variants on the development EVM, and `others`. */
export const failUnknownVariant = (others: readonly string[] = []) =>
  invalid(
    `variant must be one of ${[...new Set([...tagsOnEvm, ...others])].toSorted((a, b) => a.localeCompare(b)).join(', ')}`,
  );
