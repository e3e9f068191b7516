import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Fault, fail } from '../../domain/failure.js';
import { didYouMean, nearestName } from '../../domain/nearest-name.js';

/**
 * `ownProperties` keeps inherited members such as `constructor` from counting as given fields; `verbose` hands the broken
 * schema and the value to the words below.
 */
export const createAjv = () =>
  new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    useDefaults: true,
    ownProperties: true,
    verbose: true,
    keywords: ['x-extension'],
    formats: {
      int64: true,
      unicode: (value: string) => value.isWellFormed() && !value.includes('\0'),
      'date-time': (value: string) => !Number.isNaN(Date.parse(value)),
    },
  });

type Bounds = Readonly<Record<'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minimum' | 'maximum', number>>;
type Parent = Partial<Bounds> & { readonly description?: string; readonly properties?: object };

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};
const typeOf = (value: unknown) => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};
const found: Readonly<Record<string, string>> = { ...typeNames, boolean: 'a boolean' };

const range = (low: number | undefined, high: number | undefined) => {
  if (low === undefined) return `at most ${high}`;
  return low === high ? `${low}` : `${low} to ${high}`;
};
const shown = (value: unknown) => (Number.isSafeInteger(value) ? `, not ${value}` : '');

const parentOf = ({ parentSchema = {} }: ErrorObject) => parentSchema as Parent;
const fieldsOf = (error: ErrorObject) => Object.keys(parentOf(error).properties ?? {});

/** Asks whether an unknown field that was given is a missing one, mistyped; empty when none is near. */
const meantFor = (error: ErrorObject, missing: readonly string[]): string => {
  const known = fieldsOf(error);
  const unknown = Object.keys((error.data ?? {}) as object).filter((name) => !known.includes(name));
  const meant = unknown.flatMap((name) => {
    const nearest = nearestName(name, missing);
    return nearest === null ? [] : [`; ${name} is not a field, did you mean ${nearest}?`];
  });
  return meant[0] ?? '';
};

const length = (error: ErrorObject) => {
  const { minLength, maxLength, description } = parentOf(error);
  const has = `has ${[...String(error.data)].length}`;
  if (description !== undefined && minLength === maxLength) return `must be ${description}, ${has} characters`;
  return `must have ${range(minLength, maxLength)} characters, ${has}`;
};
const items = (error: ErrorObject) => {
  const { minItems, maxItems } = parentOf(error);
  return `must have ${range(minItems, maxItems)} items, has ${(error.data as readonly unknown[]).length}`;
};
const size = (error: ErrorObject) => {
  const { minimum, maximum } = parentOf(error);
  return `must be ${range(minimum, maximum)}${shown(error.data)}`;
};

const formats: Readonly<Record<string, string>> = {
  unicode: 'holds a character that is not allowed: NUL, or half of a surrogate pair',
  'date-time': 'must be an ISO time such as 2026-01-31T12:00:00Z',
};

/** Says what each keyword of the schema expects. Strings that were sent are never repeated: they may be secrets. */
const words: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: (error) => `is needed${meantFor(error, [error.params.missingProperty])}`,
  additionalProperties: (error) => {
    const fields = fieldsOf(error);
    const listed = fields.length > 0 ? `the fields are ${fields.join(', ')}` : 'there are none';
    return `is not a field of this operation${didYouMean(error.params.additionalProperty, fields) || `; ${listed}`}`;
  },
  type: (error) => {
    const expected = [error.schema].flat().map((name) => typeNames[String(name)] ?? String(name));
    const isFraction = error.schema === 'integer' && typeof error.data === 'number';
    return `must be ${expected.join(' or ')}, not ${isFraction ? 'a fraction' : found[typeOf(error.data)]}`;
  },
  enum: (error) => {
    const allowed = (error.schema as readonly string[]).map((value) => value || '""');
    return `must be one of ${allowed.join(', ')}${didYouMean(String(error.data), allowed)}`;
  },
  pattern: (error) => `must be ${parentOf(error).description ?? `a text that matches ${error.schema}`}`,
  format: ({ params, message = '' }) => formats[params.format] ?? message,
  minLength: length,
  maxLength: length,
  minItems: items,
  maxItems: items,
  minimum: size,
  maximum: size,
};

const placeOf = ({ keyword, instancePath, params }: ErrorObject) => {
  const named = { required: params.missingProperty, additionalProperties: params.additionalProperty }[keyword];
  return named === undefined ? instancePath : `${instancePath}/${named}`;
};
const faultOf = (error: ErrorObject): Fault => ({
  path: placeOf(error),
  message: words[error.keyword]?.(error) ?? error.message ?? '',
});

/** Refuses a request that has none of several fields of which one is needed. */
const refuseNone = (anyOf: ErrorObject, choices: readonly ErrorObject[]) => {
  const faults = choices.map((error) => ({ path: placeOf(error), message: 'is needed' }));
  const missing = choices.map(({ params }) => String(params.missingProperty));
  const names = faults.map(({ path }) => path).join(', ');
  return fail('INVALID_ARGUMENT', `at least one of ${names} is needed${meantFor(anyOf, missing)}`, faults);
};

/** Refuses a request that breaks the schema, naming each place; fills defaults into one that does not. */
export const check = (validate: ValidateFunction, request: unknown): object => {
  if (validate(request)) return request as object;
  const errors = validate.errors ?? [];
  const anyOf = errors.find(({ keyword }) => keyword === 'anyOf');
  if (anyOf)
    return refuseNone(
      anyOf,
      errors.filter((error) => error !== anyOf),
    );
  const faults = errors.map(faultOf);
  const detail = faults.map(({ path, message }) => `${path || 'the body'} ${message}`).join('; ');
  return fail('INVALID_ARGUMENT', detail, faults);
};
