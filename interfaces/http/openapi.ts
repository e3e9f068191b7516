import { takesAsOf } from '../operations/as-of.js';
import { type Endpoint, endpoints } from '../operations/index.js';
import { type ProblemCode, problems } from './problems.js';

const json = (schema: object, example?: object) => ({ 'application/json': { schema, ...(example && { example }) } });

const problemSchema = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id', 'retryable', 'errors'],
  properties: {
    type: { type: 'string', description: 'Explained at this address.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { enum: Object.keys(problems) },
    request_id: { type: 'string' },
    retryable: { type: 'boolean', description: 'Whether the very same request may succeed later.' },
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
  'x-request-id': { description: "The caller's id of the request, or a new one.", schema: { type: 'string' } },
  'x-position': { description: 'The event position that the answer includes.', schema: { type: 'string' } },
  'x-consistency': {
    description: '`pending` when the read models did not include the change within 2 s.',
    schema: { type: 'string' },
  },
};
const rateLimitHeaders = {
  'ratelimit-limit': {
    description: 'The limit that is nearest to being reached, of those for a second, an hour, a day and a month.',
    schema: { type: 'integer' },
  },
  'ratelimit-remaining': { description: 'How many requests are left of it.', schema: { type: 'integer' } },
  'ratelimit-reset': { description: 'In how many seconds it starts anew.', schema: { type: 'integer' } },
};
const retryAfter = {
  'retry-after': { description: 'In how many seconds to come back.', schema: { type: 'integer' } },
};

const parameter = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});
const requestId = parameter('x-request-id', 'Echoed in the answer and kept with every event that the request causes.');
const parameters = {
  command: [
    requestId,
    parameter('idempotency-key', 'The same key, operation and body within 24 h answers as the first time.'),
  ],
  query: [
    requestId,
    parameter('x-min-position', 'Wait until the read models include this position.', { type: 'integer', minimum: 0 }),
  ],
};

const asOf = parameter(
  'x-as-of',
  'Answer as the read models stood at this moment: an event position, or an ISO time with its zone. Not with x-min-position.',
);

/** Refusals that every signed operation may answer with. */
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
const problemResponses = Object.assign({}, ...refusals.map((code) => refusalOf(code, {})));

const otherRefusals = Object.fromEntries(
  [
    [405, 'Operations are called with POST.'],
    [413, 'The body is larger than 1 MiB.'],
    [415, 'The body is not application/json.'],
  ].map(([status, description]) => [status, { ...problemResponses[400], description }]),
);

const pathItem = ({ operation, variant, isExtension, request, response, example }: Endpoint) => {
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
          description: 'Done.',
          headers: { ...responseHeaders, ...limitHeaders },
          content: json(response, operation.answerExample),
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

/** Describes all endpoints; OpenAPI 3.1 takes their JSON Schemas as they are. */
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
