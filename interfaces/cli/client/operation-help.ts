import { answerExampleOf } from '../../operations/examples/answers.js';
import { fieldText } from '../../operations/field-texts.js';
import { type Endpoint, endpoints, explainUnknown } from '../../operations/index.js';
import { UsageError } from '../../usage-error.js';

/** Part of JSON Schema that request schemas use. */
type Shown = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly items?: Shown;
  readonly properties?: Readonly<Record<string, Shown>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
};

const rangeOf = (min: number | undefined, max: number | undefined, unit = '') => {
  const isBounded = max !== undefined && max < Number.MAX_SAFE_INTEGER;
  if (isBounded) return ` of ${min === max ? max : `${min ?? 0} to ${max}`}${unit}`;
  return min === undefined ? '' : ` of at least ${min}${unit}`;
};

const typeTexts: Readonly<Record<string, (schema: Shown) => string>> = {
  string: ({ minLength, maxLength }) => `text${rangeOf(minLength, maxLength, ' characters')}`,
  integer: ({ minimum, maximum }) => `integer${rangeOf(minimum, maximum)}`,
  number: ({ minimum, maximum }) => `number${rangeOf(minimum, maximum)}`,
  boolean: () => 'true or false',
  array: ({ items = {}, minItems, maxItems }) => `list${rangeOf(minItems, maxItems, ' items')}, each ${typeOf(items)}`,
  object: ({ properties = {} }) => `object with ${Object.keys(properties).join(', ')}`,
};

const typeOf = (schema: Shown): string => {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.format === 'date-time') return 'time such as 2026-01-31T12:00:00Z';
  if (schema.description !== undefined) return schema.description;
  const { type = 'any' } = schema;
  return typeof type === 'string' ? (typeTexts[type]?.(schema) ?? type) : type.join(' or ');
};

const fieldLines = ({ operation, request }: Endpoint) => {
  const { properties = {}, required = [] } = request as Shown;
  const width = Math.max(...Object.keys(properties).map(({ length }) => length));
  return Object.entries(properties).flatMap(([name, schema]) => {
    const notes = [
      typeOf(schema),
      ...(required.includes(name) ? ['required'] : []),
      ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ];
    const text = fieldText(operation.name, name);
    const indent = `  ${' '.repeat(width)}  `;
    return [`  ${name.padEnd(width)}  ${notes.join(', ')}`, ...(text === undefined ? [] : [`${indent}${text}`])];
  });
};

const operationHelp = (endpoint: Endpoint) => {
  const { operation, variant, example } = endpoint;
  const usage = `chainfold call ${variant.segment} ${operation.name}`;
  const fields = fieldLines(endpoint);
  return [
    `${usage} [json] [options]`,
    '',
    operation.summary,
    ...(operation.role ? [`Requires a credential with the role ${operation.role}.`] : []),
    '',
    ...(fields.length > 0 ? ['Fields of the request:', ...fields] : ['The request has no fields.']),
    ...(operation.atLeastOne ? [`At least one of ${operation.atLeastOne.join(', ')} is required.`] : []),
    '',
    'Example:',
    `  ${usage} '${JSON.stringify(example)}'`,
    '',
    'answers' in operation ? 'Answer, in lines of JSON that begin with:' : 'Answer:',
    ...JSON.stringify(answerExampleOf(endpoint), null, 2)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    'Run chainfold call --help for the options.',
  ].join('\n');
};

const apiHelp = (api: string) => {
  const own = endpoints.filter(({ variant }) => variant.segment === api);
  const width = Math.max(...own.map(({ operation }) => operation.name.length));
  return [
    `chainfold call ${api} <Operation> [json] [options]`,
    '',
    ...own.map(({ operation }) => `  ${operation.name.padEnd(width)}  ${operation.summary}`),
    '',
    `Run chainfold call ${api} <Operation> --help for its fields and an example.`,
  ].join('\n');
};

/** Returns the help of an operation, or of an API when only the API is given; null when nothing is given. */
export const callHelp = ([api, name]: readonly string[]): string | null => {
  if (api === undefined) return null;
  const path = `/v1/${api}/${name ?? ''}`;
  const found = endpoints.find((one) => one.path === path);
  if (found) return operationHelp(found);
  if (name === undefined && endpoints.some(({ variant }) => variant.segment === api)) return apiHelp(api);
  throw new UsageError(explainUnknown(path, `chainfold call ${api} --help lists all operations`));
};
