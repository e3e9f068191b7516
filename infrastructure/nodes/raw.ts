import { failInvalidAnswer } from './node-fault.js';

/** Object from a node whose fields are not validated yet. */
export type Raw = Readonly<Record<string, unknown>>;

export const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null;

export const record = (value: unknown, what: string): Raw =>
  isRaw(value) ? value : failInvalidAnswer(`${what} is not an object`);

export const list = (value: unknown, what: string): readonly unknown[] =>
  Array.isArray(value) ? value : failInvalidAnswer(`${what} is not an array`);
