import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Fault, refuse } from '../../domain/failure.js';

/** `ownProperties`: what every object inherits must not count as a given field. */
export const createAjv = () =>
  new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    useDefaults: true,
    ownProperties: true,
    formats: {
      int64: true,
      unicode: (value: string) => value.isWellFormed() && !value.includes('\0'),
      'date-time': (value: string) => !Number.isNaN(Date.parse(value)),
    },
  });

const placeOf = ({ keyword, instancePath, params }: ErrorObject) => {
  const named = { required: params.missingProperty, additionalProperties: params.additionalProperty }[keyword];
  return named === undefined ? instancePath : `${instancePath}/${named}`;
};
const words: Readonly<Record<string, string>> = {
  required: 'is needed',
  additionalProperties: 'is not a field of this operation',
};
const faultOf = (error: ErrorObject): Fault => {
  const unicode = error.keyword === 'format' && error.params.format === 'unicode';
  const message = unicode ? 'holds a character that is not allowed' : (words[error.keyword] ?? error.message ?? '');
  return { path: placeOf(error), message };
};

/** Refuses what breaks the schema, pointing at the place; fills in defaults in what does not. */
export const check = (validate: ValidateFunction, request: unknown): object => {
  if (validate(request)) return request as object;
  const errors = validate.errors ?? [];
  const faults = errors.filter(({ keyword }) => keyword !== 'anyOf').map(faultOf);
  if (faults.length < errors.length)
    return refuse('INVALID_ARGUMENT', `at least one of ${faults.map(({ path }) => path).join(', ')} is needed`, faults);
  const detail = faults.map(({ path, message }) => `${path || 'the body'} ${message}`).join('; ');
  return refuse('INVALID_ARGUMENT', detail, faults);
};
