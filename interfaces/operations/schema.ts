import { longestAddress } from '../../domain/address.js';

/** JSON Schema that remembers its TypeScript type. The type exists at compile time only. */
export type Schema<T> = { readonly [keyword: string]: unknown } & { readonly __type?: T };
export type TypeOf<S> = S extends Schema<infer T> ? T : never;

/** `unicode` refuses what cannot be stored and given back exactly: NUL and halves of surrogate pairs. */
export const text = (minLength: number, maxLength: number, pattern?: string): Schema<string> => ({
  type: 'string',
  format: 'unicode',
  minLength,
  maxLength,
  ...(pattern !== undefined && { pattern }),
});
export const oneOf = <const T extends string>(values: readonly T[], byDefault?: NoInfer<T>): Schema<T> => ({
  type: 'string',
  enum: values,
  ...(byDefault !== undefined && { default: byDefault }),
});
/** JSON numbers are exact up to 2^53 - 1; what lies beyond would be changed in silence, so it is refused. */
export const int64 = (keywords: { minimum?: number; maximum?: number; default?: number } = {}): Schema<number> => ({
  type: 'integer',
  format: 'int64',
  maximum: Number.MAX_SAFE_INTEGER,
  ...keywords,
});
export const flag = (byDefault?: boolean): Schema<boolean> => ({
  type: 'boolean',
  ...(byDefault !== undefined && { default: byDefault }),
});
export const list = <T>(items: Schema<T>, bounds: { minItems?: number; maxItems?: number } = {}): Schema<T[]> => ({
  type: 'array',
  items,
  ...bounds,
});
/** All members are required unless listed as `optional`. */
export const record = <T extends object>(
  properties: { readonly [K in keyof T]-?: Schema<Exclude<T[K], undefined>> },
  optional: readonly (keyof T & string)[] = [],
): Schema<T> => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !(optional as readonly string[]).includes(name)),
  additionalProperties: false,
});

export const id = text(1, 200);
/** An event position, or an ISO time with its zone. */
export const moment: Schema<string | number> = {
  type: ['string', 'integer'],
  format: 'unicode',
  minLength: 1,
  maxLength: 40,
};
export const timestamp: Schema<string> = { type: 'string', format: 'date-time' };
/** Which addresses a chain takes is its codec's to say; this only keeps the absurd away from it. */
export const address = text(1, longestAddress);
