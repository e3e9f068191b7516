import { maxAddressLength } from '../../domain/aggregates/address.js';

/** JSON Schema with the TypeScript type of its values. `__type` exists only at compile time. */
export type Schema<T> = { readonly [keyword: string]: unknown } & { readonly __type?: T };
export type TypeOf<S> = S extends Schema<infer T> ? T : never;

/**
 * String schema. The format `unicode` rejects NUL and unpaired surrogates, which cannot be stored and returned exactly.
 */
export const text = (minLength: number, maxLength: number): Schema<string> => ({
  type: 'string',
  format: 'unicode',
  minLength,
  maxLength,
});
/** String schema with a pattern. `form` describes the pattern in errors, after "must be". */
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
/**
 * Schema of an enumeration in answers, to which later releases may add values. Validators and generators treat the
 * enumeration as a string, so that older clients accept the added values.
 */
export const openEnum = (values: readonly string[]): Schema<string> => ({
  type: 'string',
  'x-extensible-enum': values,
});
/** Integer schema with a maximum of 2^53 - 1, because larger JSON numbers would be rounded silently. */
export const int64 = (
  keywords: { minimum?: number; maximum?: number; default?: number; description?: string } = {},
): Schema<number> => ({
  type: 'integer',
  format: 'int64',
  maximum: Number.MAX_SAFE_INTEGER,
  ...keywords,
});
export const flag = (byDefault?: boolean): Schema<boolean> => ({
  type: 'boolean',
  ...(byDefault !== undefined && { default: byDefault }),
});
/** Allows null besides the values of a schema with a single `type`. */
export const nullable = <T>(schema: Schema<T>): Schema<T | null> => ({ ...schema, type: [schema.type, 'null'] });
export const list = <T>(items: Schema<T>, bounds: { minItems?: number; maxItems?: number } = {}): Schema<T[]> => ({
  type: 'array',
  items,
  ...bounds,
});
export type Properties<T> = { readonly [K in keyof T]-?: Schema<Exclude<T[K], undefined>> };
/** Marks a member that was added to a record after the first version. Marked members are optional. */
export const extension = <T>(schema: Schema<T>): Schema<T> => ({ ...schema, 'x-extension': true });
/** Object schema. All members are required, except extensions and those listed in `optional`. */
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

/** Object schema with a name. The API documents describe the object once, as a component of that name. */
export const named = <T extends object>(title: string, ...given: Parameters<typeof record<T>>): Schema<T> => ({
  title,
  ...record<T>(...given),
});
/** Object schema with any members. */
export const anyObject: Schema<object> = { type: 'object', additionalProperties: true };

export const id = text(1, 200);
/** Schema of a moment: an event position, or an ISO time with a time zone. */
export const moment: Schema<string | number> = {
  type: ['string', 'integer'],
  format: 'unicode',
  minLength: 1,
  maxLength: 40,
};
export const timestamp: Schema<string> = { type: 'string', format: 'date-time' };
/** Schema of an address. Limits only the length, because the address parser of the chain validates the address. */
export const address = text(1, maxAddressLength);
