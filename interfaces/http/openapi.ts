import { takesAsOf } from '../operations/as-of.js';
import { answerExampleOf } from '../operations/examples/answers.js';
import { type Endpoint, endpoints } from '../operations/index.js';
import { type ProblemCode, problems } from './problems.js';

const json = (schema: object, example: object) => ({ 'application/json': { schema, example } });

const problemSchema = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id', 'retryable', 'errors'],
  properties: {
    type: { type: 'string', description: 'Path of a page that explains the problem.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { enum: Object.keys(problems) },
    request_id: { type: 'string' },
    retryable: { type: 'boolean', description: 'True if the same request may succeed later.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'JSON pointer into the body.' },
          message: { type: 'string' },
        },
      },
    },
  },
};

const responseHeaders = {
  'x-request-id': { description: 'The `x-request-id` of the request, or a new id.', schema: { type: 'string' } },
  'x-position': { description: 'The event position that the response includes.', schema: { type: 'string' } },
  'x-consistency': {
    description: '`pending` if the read models did not include the change within 2 s.',
    schema: { type: 'string' },
  },
};
const rateLimitHeaders = {
  'ratelimit-limit': {
    description: 'The limit with the fewest requests left: per second, hour, day or month.',
    schema: { type: 'integer' },
  },
  'ratelimit-remaining': { description: 'Requests left within that limit.', schema: { type: 'integer' } },
  'ratelimit-reset': { description: 'Seconds until that limit resets.', schema: { type: 'integer' } },
};
const retryAfter = {
  'retry-after': { description: 'Seconds to wait before retrying.', schema: { type: 'integer' } },
};

const parameter = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});
const requestId = parameter(
  'x-request-id',
  'Returned in the response and stored with every event that the request causes.',
);
const parameters = {
  command: [
    requestId,
    parameter(
      'idempotency-key',
      'A retry with the same key, operation and body within 24 h returns the first response.',
    ),
  ],
  query: [
    requestId,
    parameter('x-min-position', 'Waits until the read models include this event position.', {
      type: 'integer',
      minimum: 0,
    }),
  ],
};

const asOf = parameter(
  'x-as-of',
  'Answers as of this moment: an event position, or an ISO time with a time zone. Cannot be combined with x-min-position.',
);

/** Problems that every operation may return. */
const refusals: readonly ProblemCode[] = [
  'INVALID_ARGUMENT',
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'INTERNAL',
  'UNAVAILABLE',
];
const refusalOf = (code: ProblemCode, headers: object) => ({
  [problems[code].status]: {
    description: problems[code].title,
    headers,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  },
});
const problemResponses = Object.assign(
  {},
  ...refusals.map((code) => refusalOf(code, code === 'UNAVAILABLE' ? retryAfter : {})),
);

const otherRefusals = Object.fromEntries(
  [
    [405, 'The method is not POST.'],
    [413, 'The body is larger than 1 MiB.'],
    [415, 'The body is not application/json.'],
  ].map(([status, description]) => [status, { ...problemResponses[400], description }]),
);

const pathItem = (endpoint: Endpoint) => {
  const { operation, variant, isExtension, request, response, example } = endpoint;
  const isLimited = variant.surface !== 'admin';
  const limitHeaders = isLimited ? rateLimitHeaders : {};
  return {
    post: {
      operationId: `${variant.segment}.${operation.name}`,
      summary: operation.summary,
      tags: [variant.segment],
      ...(isExtension && { 'x-extension': true }),
      parameters: [...parameters[operation.kind], ...(takesAsOf(operation) ? [asOf] : [])],
      requestBody: { required: true, content: json(request, example) },
      responses: {
        200: {
          description: 'Success.',
          headers: { ...responseHeaders, ...limitHeaders },
          content: json(response, answerExampleOf(endpoint)),
        },
        ...problemResponses,
        ...(variant.surface === 'query' && refusalOf('NODE_ERROR', {})),
        ...(operation.role && refusalOf('PERMISSION_DENIED', {})),
        ...(isLimited && refusalOf('RATE_LIMITED', { ...limitHeaders, ...retryAfter })),
        ...otherRefusals,
      },
    },
  };
};

/** Describes all endpoints. OpenAPI 3.1 uses JSON Schema, so their schemas need no conversion. */
export const openApi = (version: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'chainfold',
    version,
    summary: 'Wallets and addresses on three chain families: TON, Sui and EVM.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  security: [{ apiKey: [], apiNonce: [], apiSignature: [] }],
  tags: [...new Set(endpoints.map(({ variant }) => variant.segment))].map((name) => ({ name })),
  components: {
    schemas: { Problem: problemSchema },
    securitySchemes: Object.fromEntries(
      ['Key', 'Nonce', 'Signature'].map((part) => [
        `api${part}`,
        { type: 'apiKey', in: 'header', name: `x-api-${part.toLowerCase()}` },
      ]),
    ),
  },
  paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint)])),
});
