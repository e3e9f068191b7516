import { type Variant, variants } from '../../domain/variant.js';
import { answerExampleOf } from '../operations/examples/answers.js';
import { type Endpoint, endpoints } from '../operations/index.js';
import { operationText, sideTexts } from '../operations/texts/texts.js';
import { createComponents, type Described, describeObject, type Json } from './components.js';
import {
  headers,
  parameters,
  parametersOf,
  problemResponsesOf,
  problemSchemas,
  responses,
  successHeaders,
} from './shared-parts.js';
import { streamPaths } from './stream-paths.js';
import { describedNotifications, webhookItems } from './webhooks.js';

const suffixes = { request: 'Request', response: 'Answer' } as const;
type Side = keyof typeof suffixes;

const describedSide = (endpoint: Endpoint, side: Side): Described => {
  const { name } = endpoint.operation;
  const textOf = (field: string) => sideTexts[side](name, field);
  return {
    segment: endpoint.variant.segment,
    schema: describeObject(`${name}${suffixes[side]}`, endpoint[side] as Json, textOf),
  };
};

type Refer = ReturnType<typeof createComponents>['refer'];
const json = (schema: object, example: object) => ({ 'application/json': { schema, example } });
/** Describes a response of JSON lines (NDJSON) by the schema of its first line. */
const lines = (schema: object, example: object) => ({ 'application/x-ndjson': { schema, example } });

const pathItem = (endpoint: Endpoint, refer: Refer) => {
  const { operation, variant, isExtension, example } = endpoint;
  return {
    post: {
      operationId: `${variant.segment}.${operation.name}`,
      summary: operation.summary,
      description: operationText(endpoint),
      tags: [variant.segment],
      ...(isExtension && { 'x-extension': true }),
      parameters: parametersOf(operation),
      requestBody: { required: true, content: json(refer(describedSide(endpoint, 'request')), example) },
      responses: {
        200: {
          description: 'Success.',
          headers: successHeaders,
          content: ('answers' in operation ? lines : json)(
            refer(describedSide(endpoint, 'response')),
            answerExampleOf(endpoint),
          ),
        },
        ...problemResponsesOf(endpoint),
      },
    },
  };
};

const families: Readonly<Record<Variant['family'], string>> = { ton: 'TON', sui: 'Sui', evm: 'EVM chains' };
const surfaces: Readonly<Record<Variant['surface'], (variant: Variant) => string>> = {
  wallet: ({ family }) => `Wallets, addresses, assets, transfers and webhooks on ${families[family]}.`,
  query: () => 'Blocks, transactions and logs of an EVM chain.',
  admin: () => 'Organizations, credentials, limits and the history.',
};

const securityTexts = {
  Key: 'API key of the credential.',
  Nonce: 'Milliseconds since 1970, optionally with a hyphen and 1 to 32 letters and digits. Accepted once.',
  Signature:
    'Hex of the HMAC-SHA256, under the API secret, of the lines nonce, POST, path and hex of the SHA-256 of the body.',
};
const securitySchemes = Object.fromEntries(
  Object.entries(securityTexts).map(([part, description]) => [
    `api${part}`,
    { type: 'apiKey', in: 'header', name: `x-api-${part.toLowerCase()}`, description },
  ]),
);

/**
 * Describes all endpoints and notifications. The schemas need no conversion, because OpenAPI 3.1 uses JSON Schema.
 */
export const openApi = (version: string) => {
  const sides = endpoints.flatMap((endpoint) => [
    describedSide(endpoint, 'request'),
    describedSide(endpoint, 'response'),
  ]);
  const { schemas, refer } = createComponents([...sides, ...describedNotifications()]);
  const paths = Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint, refer)]));
  const webhooks = webhookItems(refer);
  return {
    openapi: '3.1.0',
    info: {
      title: 'chainfold',
      version,
      summary: 'Wallets and addresses on three chain families: TON, Sui and EVM.',
      description:
        'Every operation is a POST of a JSON object, signed with a credential. Fields and operations with `x-extension` were added after the first version. Values of an `x-extensible-enum` may be joined by others: treat an unknown one as not final.',
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    security: [{ apiKey: [], apiNonce: [], apiSignature: [] }],
    tags: variants.map((variant) => ({ name: variant.segment, description: surfaces[variant.surface](variant) })),
    paths: { ...paths, ...streamPaths() } as typeof paths,
    webhooks,
    components: { schemas: { ...schemas, ...problemSchemas }, headers, parameters, responses, securitySchemes },
  };
};
