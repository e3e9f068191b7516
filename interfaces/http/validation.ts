import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Fault, fail } from '../../domain/failure.js';
import { didYouMean, nearestName } from '../../domain/nearest-name.js';

/**
 * Creates the validator of requests. With `ownProperties`, the validator ignores inherited members such as
 * `constructor`. With `verbose`, its errors contain the violated schema and the invalid value, which the messages below
 * need.
 */
export const createAjv = () =>
  new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    useDefaults: true,
    ownProperties: true,
    verbose: true,
    keywords: ['x-extension', 'x-extensible-enum'],
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
  integer: 'an integer',
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
const actualTypes: Readonly<Record<string, string>> = { ...typeNames, boolean: 'a boolean' };

const range = (low: number | undefined, high: number | undefined) => {
  if (low === undefined) return `at most ${high}`;
  return low === high ? `${low}` : `${low} to ${high}`;
};
const receivedValue = (value: unknown) => (Number.isSafeInteger(value) ? `, got ${value}` : '');

const parentOf = ({ parentSchema = {} }: ErrorObject) => parentSchema as Parent;
const fieldsOf = (error: ErrorObject) => Object.keys(parentOf(error).properties ?? {});

/** Suggests a missing field for an unknown field of the request with a similar name; '' if no name is similar. */
const suggestionFor = (error: ErrorObject, missing: readonly string[]): string => {
  const known = fieldsOf(error);
  const unknown = Object.keys((error.data ?? {}) as object).filter((name) => !known.includes(name));
  const meant = unknown.flatMap((name) => {
    const nearest = nearestName(name, missing);
    return nearest === null ? [] : [`. Unknown field ${name}: did you mean ${nearest}?`];
  });
  return meant[0] ?? '';
};

const length = (error: ErrorObject) => {
  const { minLength, maxLength, description } = parentOf(error);
  const received = `got ${[...String(error.data)].length}`;
  if (description !== undefined && minLength === maxLength) return `must be ${description}, ${received} characters`;
  return `must have ${range(minLength, maxLength)} characters, ${received}`;
};
const items = (error: ErrorObject) => {
  const { minItems, maxItems } = parentOf(error);
  return `must have ${range(minItems, maxItems)} items, got ${(error.data as readonly unknown[]).length}`;
};
const size = (error: ErrorObject) => {
  const { minimum, maximum } = parentOf(error);
  return `must be ${range(minimum, maximum)}${receivedValue(error.data)}`;
};

const formats: Readonly<Record<string, string>> = {
  unicode: 'must not contain NUL or an unpaired surrogate',
  'date-time': 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z',
};

/**
 * Functions that write the error message for each schema keyword; the message follows the path of the invalid field. A
 * message never repeats received strings, which may be secrets.
 */
const messages: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: (error) => `is required${suggestionFor(error, [error.params.missingProperty])}`,
  additionalProperties: (error) => {
    const fields = fieldsOf(error);
    const listed = fields.length > 0 ? `Allowed fields: ${fields.join(', ')}` : 'The operation has no fields';
    return `is not a field of this operation${didYouMean(error.params.additionalProperty, fields) || `. ${listed}`}`;
  },
  type: (error) => {
    const expected = [error.schema].flat().map((name) => typeNames[String(name)] ?? String(name));
    const isInteger = error.schema === 'integer';
    const isFraction = isInteger && typeof error.data === 'number';
    const { description } = parentOf(error);
    const meaning = isInteger && description !== undefined ? `: ${description}` : '';
    return `must be ${expected.join(' or ')}${meaning}, got ${isFraction ? 'a fraction' : actualTypes[typeOf(error.data)]}`;
  },
  enum: (error) => {
    const allowed = (error.schema as readonly string[]).map((value) => value || '""');
    return `must be one of ${allowed.join(', ')}${didYouMean(String(error.data), allowed)}`;
  },
  pattern: (error) => `must be ${parentOf(error).description ?? `a string that matches ${error.schema}`}`,
  format: ({ params, message = '' }) => formats[params.format] ?? message,
  minLength: length,
  maxLength: length,
  minItems: items,
  maxItems: items,
  minimum: size,
  maximum: size,
};

const pathOf = ({ keyword, instancePath, params }: ErrorObject) => {
  const named = { required: params.missingProperty, additionalProperties: params.additionalProperty }[keyword];
  return named === undefined ? instancePath : `${instancePath}/${named}`;
};
const faultOf = (error: ErrorObject): Fault => ({
  path: pathOf(error),
  message: messages[error.keyword]?.(error) ?? error.message ?? '',
});

/** Rejects a request that has none of several fields of which at least one is required. */
const rejectMissing = (anyOf: ErrorObject, choices: readonly ErrorObject[]) => {
  const faults = choices.map((error) => ({ path: pathOf(error), message: 'is required' }));
  const missing = choices.map(({ params }) => String(params.missingProperty));
  const names = faults.map(({ path }) => path).join(', ');
  return fail('INVALID_ARGUMENT', `at least one of ${names} is required${suggestionFor(anyOf, missing)}`, faults);
};

/**
 * Rejects a request that violates the schema, with an error for each invalid field. Fills in the defaults of a valid
 * request and returns it.
 */
export const check = (validate: ValidateFunction, request: unknown): object => {
  if (validate(request)) return request as object;
  const errors = validate.errors ?? [];
  const anyOf = errors.find(({ keyword }) => keyword === 'anyOf');
  if (anyOf)
    return rejectMissing(
      anyOf,
      errors.filter((error) => error !== anyOf),
    );
  const faults = errors.map(faultOf);
  const detail = faults.map(({ path, message }) => `${path || 'The body'} ${message}`).join('; ');
  return fail('INVALID_ARGUMENT', detail, faults);
};
