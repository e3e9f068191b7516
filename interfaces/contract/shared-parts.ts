import { type ProblemCode, problems, slugOf } from '../http/problems.js';
import { takesAsOf } from '../operations/as-of.js';
import type { AnyOperation } from '../operations/define.js';
import type { Endpoint } from '../operations/index.js';
import type { Json } from './components.js';

/** Parts of the OpenAPI document that operations share: problems, headers, parameters and responses. */

const problemSchema = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id', 'retryable', 'errors'],
  properties: {
    type: { type: 'string', description: 'Path of a page that explains the problem.' },
    title: { type: 'string', description: 'Kind of the problem, in words.' },
    status: { type: 'integer', description: 'HTTP status of the response.' },
    detail: { type: 'string', description: 'What is wrong with this request, and what to do.' },
    code: {
      type: 'string',
      description: 'Kind of the problem, for programs.',
      'x-extensible-enum': Object.keys(problems),
    },
    request_id: { type: 'string', description: 'Id of the request, also in the header `x-request-id`.' },
    retryable: { type: 'boolean', description: 'True if the same request may succeed later.' },
    errors: {
      type: 'array',
      description: 'Invalid fields of the request; empty if the problem is not about fields.',
      items: { $ref: '#/components/schemas/FieldProblem' },
    },
  },
};
const fieldProblemSchema = {
  type: 'object',
  description: 'Problem with one field of a request.',
  required: ['path', 'message'],
  properties: {
    path: { type: 'string', description: 'JSON pointer into the body.' },
    message: { type: 'string', description: 'What is wrong with the field.' },
  },
};
export const problemSchemas = { Problem: problemSchema, FieldProblem: fieldProblemSchema };

const text = { type: 'string' };
const integer = { type: 'integer' };
const header = (description: string, schema: object) => ({ description, schema });

export const headers = {
  'x-request-id': header('The `x-request-id` of the request, or a new id.', text),
  'x-position': header('The event position that the response includes.', text),
  'x-consistency': header('`pending` if the read models did not include the change within 2 s.', text),
  'ratelimit-cost': header('Units of the rate limit that the request cost.', integer),
  'ratelimit-limit': header('The limit with the fewest requests left: per second, hour, day or month.', integer),
  'ratelimit-remaining': header('Requests left within that limit.', integer),
  'ratelimit-reset': header('Seconds until that limit resets.', integer),
  'retry-after': header('Seconds to wait before retrying.', integer),
};
type HeaderName = keyof typeof headers;
const limitHeaders: readonly HeaderName[] = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

const headersNamed = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
export const successHeaders = headersNamed([
  'x-request-id',
  'x-position',
  'x-consistency',
  'ratelimit-cost',
  ...limitHeaders,
]);

const parameter = (name: string, description: string, schema: object, example: string | number) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
  example,
});
export const parameters = {
  'x-request-id': parameter(
    'x-request-id',
    'Returned in the response and stored with every event that the request causes.',
    text,
    'order-4711',
  ),
  'idempotency-key': parameter(
    'idempotency-key',
    'A retry with the same key, operation and body within 24 h returns the first response.',
    text,
    'order-4711-payment',
  ),
  'x-min-position': parameter(
    'x-min-position',
    'Waits until the read models include this event position.',
    { type: 'integer', minimum: 0 },
    1042,
  ),
  'x-as-of': parameter(
    'x-as-of',
    'Answers as of this moment: an event position, or an ISO time with a time zone. Cannot be combined with x-min-position.',
    text,
    '2026-01-31T12:00:00Z',
  ),
};
export const parametersOf = (operation: AnyOperation): Json[] => {
  const own: (keyof typeof parameters)[] = operation.kind === 'command' ? ['idempotency-key'] : ['x-min-position'];
  const names = ['x-request-id', ...own, ...(takesAsOf(operation) ? ['x-as-of'] : [])];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
};

type Row = readonly [status: number, codes: readonly ProblemCode[], names?: readonly HeaderName[], about?: string];
/** Responses with a status other than 200, each with the codes of the problems that it may contain. */
const rows: Readonly<Record<string, Row>> = {
  InvalidArgument: [400, ['INVALID_ARGUMENT']],
  Unauthenticated: [401, ['UNAUTHENTICATED']],
  Forbidden: [403, ['PERMISSION_DENIED', 'QUOTA_EXCEEDED']],
  NotFound: [404, ['NOT_FOUND']],
  MethodNotAllowed: [405, ['INVALID_ARGUMENT'], [], 'The method is not POST.'],
  Conflict: [409, ['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'CONFLICT']],
  TooLarge: [413, ['INVALID_ARGUMENT'], [], 'The body is larger than 1 MiB.'],
  UnsupportedMediaType: [415, ['INVALID_ARGUMENT'], [], 'The body is not application/json.'],
  RateLimited: [429, ['RATE_LIMITED'], [...limitHeaders, 'retry-after']],
  Internal: [500, ['INTERNAL']],
  NodeError: [502, ['NODE_ERROR']],
  Unavailable: [503, ['UNAVAILABLE'], ['retry-after']],
};

const exampleOf = (status: number, code: ProblemCode) => ({
  type: `/problems/${slugOf(code)}`,
  title: problems[code].title,
  status,
  detail: problems[code].meaning.split('. ')[0],
  code,
  request_id: 'order-4711',
  retryable: problems[code].retryable,
  errors: [],
});
const responseOf = ([status, codes, names = [], about]: Row) => ({
  description: about ?? `${codes.map((code) => `${problems[code].title} (\`${code}\`)`).join(', ')}.`,
  headers: headersNamed(['x-request-id', 'x-position', ...names]),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(codes.map((code) => [slugOf(code), { value: exampleOf(status, code) }])),
    },
  },
});
export const responses = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, responseOf(row)]));

/**
 * Returns true if the operation may return status 403, because the role of the caller does not allow the operation or
 * the organization has used up a quota.
 */
const mayBeForbidden = ({ kind, role, confidential }: AnyOperation) =>
  kind === 'command' || role !== undefined || confidential === true;
const asksNodes = ({ operation, variant }: Endpoint) =>
  variant.surface === 'query' || (variant.surface === 'wallet' && operation.kind === 'command');

/** Returns references to the responses of an operation with a status other than 200, keyed by status. */
export const problemResponsesOf = (endpoint: Endpoint): Record<number, Json> => {
  const isPossible = (status: number) => {
    if (status === 403) return mayBeForbidden(endpoint.operation);
    return status !== 502 || asksNodes(endpoint);
  };
  const found = Object.entries(rows).filter(([, [status]]) => isPossible(status));
  return Object.fromEntries(found.map(([name, [status]]) => [status, { $ref: `#/components/responses/${name}` }]));
};
