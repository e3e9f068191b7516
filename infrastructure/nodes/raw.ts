import { failInvalidAnswer } from './node-fault.js';

/** An object that a node sent, none of whose fields was checked yet. */
export type Raw = Readonly<Record<string, unknown>>;

export const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null;

export const record = (value: unknown, what: string): Raw =>
  isRaw(value) ? value : failInvalidAnswer(`${what} is no object`);

export const list = (value: unknown, what: string): readonly unknown[] =>
  Array.isArray(value) ? value : failInvalidAnswer(`${what} is no list`);
