/** Subset of JSON Schema that the operation table uses. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
};

/** Type of a field, independent of any language. */
export type FieldType =
  | { readonly kind: 'text' | 'integer' | 'number' | 'flag' | 'map' | 'any' }
  | { readonly kind: 'moment' }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly isOpen: boolean }
  | { readonly kind: 'list'; readonly items: FieldType }
  | { readonly kind: 'nullable'; readonly value: FieldType }
  | { readonly kind: 'record'; readonly name: string };

const scalars: Readonly<Record<string, FieldType>> = {
  string: { kind: 'text' },
  integer: { kind: 'integer' },
  number: { kind: 'number' },
  boolean: { kind: 'flag' },
  object: { kind: 'map' },
  // An event position, or a time as text.
  'string,integer': { kind: 'moment' },
};

/** Returns the name of the record type for an object schema in a field. */
export type RecordNamer = (schema: JsonSchema) => string;

const withoutNull = ({ type = [] }: JsonSchema) => [type].flat().filter((one) => one !== 'null');

export const isObject = (schema: JsonSchema): boolean =>
  withoutNull(schema).join() === 'object' && schema.properties !== undefined;

const valueType = (schema: JsonSchema, nameOf: RecordNamer): FieldType => {
  const values = schema['x-extensible-enum'] ?? schema.enum;
  if (values?.every((value) => typeof value === 'string'))
    return { kind: 'choice', values, isOpen: schema['x-extensible-enum'] !== undefined };
  if (isObject(schema)) return { kind: 'record', name: nameOf(schema) };
  if (schema.items) return { kind: 'list', items: fieldType(schema.items, nameOf) };
  return scalars[withoutNull(schema).join()] ?? { kind: 'any' };
};

export const fieldType = (schema: JsonSchema, nameOf: RecordNamer): FieldType => {
  const value = valueType(schema, nameOf);
  return [schema.type].flat().includes('null') ? { kind: 'nullable', value } : value;
};

/** Returns the names of the fields of which a request needs at least one. */
export const alternativesOf = ({ anyOf = [] }: JsonSchema): readonly string[] =>
  anyOf.flatMap(({ required = [] }) => required);

/** Returns a text that is equal for schemas of the same type, regardless of their limits and descriptions. */
export const structureOf = (schema: JsonSchema): string =>
  JSON.stringify({
    type: fieldType(schema, () => 'record'),
    fields: Object.entries(schema.properties ?? {}).map(([name, field]) => [
      name,
      schema.required?.includes(name) ?? false,
      structureOf(field),
    ]),
    items: schema.items && structureOf(schema.items),
    alternatives: alternativesOf(schema),
  });
