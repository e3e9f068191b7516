import { maxAddressLength } from '../../domain/aggregates/address.js';

/** JSON Schema that remembers its TypeScript type. The type exists at compile time only. */
export type Schema<T> = { readonly [keyword: string]: unknown } & { readonly __type?: T };
export type TypeOf<S> = S extends Schema<infer T> ? T : never;

/** Format `unicode` refuses NUL and halves of surrogate pairs, which cannot be stored and returned exactly. */
export const text = (minLength: number, maxLength: number): Schema<string> => ({
  type: 'string',
  format: 'unicode',
  minLength,
  maxLength,
});
/** Text of a certain form; a refusal says `form`, which follows "must be". */
export const formed = (minLength: number, maxLength: number, pattern: string, form: string): Schema<string> => ({
  ...text(minLength, maxLength),
  pattern,
  description: form,
});
export const oneOf = <const T extends string>(values: readonly T[], byDefault?: NoInfer<T>): Schema<T> => ({
  type: 'string',
  enum: values,
  ...(byDefault !== undefined && { default: byDefault }),
});
/** Integer up to 2^53 - 1; larger JSON numbers would be rounded silently, so they are refused. */
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
/** Schemas of the members of a type. */
export type Properties<T> = { readonly [K in keyof T]-?: Schema<Exclude<T[K], undefined>> };
/** Marks a member that was added to a record after the first version; such members are optional. */
export const extension = <T>(schema: Schema<T>): Schema<T> => ({ ...schema, 'x-extension': true });
/** Object whose members are all required unless they are extensions or listed as `optional`. */
export const record = <T extends object>(
  properties: Properties<T>,
  optional: readonly (keyof T & string)[] = [],
): Schema<T> => ({
  type: 'object',
  properties,
  required: Object.entries<Schema<unknown>>(properties).flatMap(([name, schema]) =>
    schema['x-extension'] || (optional as readonly string[]).includes(name) ? [] : [name],
  ),
  additionalProperties: false,
});

export const id = text(1, 200);
/** Event position, or ISO time with its zone. */
export const moment: Schema<string | number> = {
  type: ['string', 'integer'],
  format: 'unicode',
  minLength: 1,
  maxLength: 40,
};
export const timestamp: Schema<string> = { type: 'string', format: 'date-time' };
/** Bounds the length only; the codec of the chain decides which texts are addresses. */
export const address = text(1, maxAddressLength);
