import type { App } from '../../../application/app.js';
import { configuredMethod } from '../../../application/gateway/configured-methods.js';
import { explainMethod, findMethod } from '../../../application/gateway/methods.js';
import { timeOf } from '../../../application/history/parse-moment.js';
import { type GatewayKeys, gatewayKeysChoices } from '../../../domain/aggregates/gateway/gateway-token.js';
import { fail } from '../../../domain/failure.js';
import { variants } from '../../../domain/variant.js';
import type { GatewayTokenDocument } from '../../../projections/organizations.js';
import { operation } from '../define.js';
import { anyOrganization, anyToken } from '../examples/ids.js';
import { pageSize, pageToken, pagination } from '../records.js';
import { formed, id, int64, list, moment, named, oneOf, text, timestamp } from '../schema.js';

const served = variants.filter(({ can }) => can.includes('gateway'));
/** Schema of a chain: its tag, as in rate limits, or its segment, as in gateway URLs. */
const chain = oneOf(served.flatMap(({ tag, segment }): string[] => [tag, segment]));
const [anyChain] = served.map(({ tag }) => tag);
const method = formed(3, 100, '^[a-z][a-z0-9]*_[A-Za-z][A-Za-z0-9]*$', 'the name of a method of the gateway');
const origin = formed(
  4,
  200,
  '^[a-z][a-z0-9+.-]*://[a-z0-9._-]+(?::[0-9]{1,5})?$',
  'an origin as sent by browsers, in lowercase and without a path, such as https://app.example',
);
const perSecond = int64({ minimum: 1 });
const latestMs = 99_999_999_999_000;
const notTime = 'expire_time must be an ISO time such as 2026-01-31T12:00:00Z, or Unix seconds as a number';
const some = { minItems: 1, maxItems: 100 };
const keys = oneOf(gatewayKeysChoices);

type TokenRecord = {
  gateway_token_id: string;
  name: string;
  chains?: readonly string[];
  methods?: readonly string[];
  origins?: readonly string[];
  expire_time?: string;
  per_second_limit?: number;
  create_time: string;
};
/** Schema of a gateway token as it is shown, without the token itself (docs/specification.md#gateway-token). */
const tokenRecord = named<TokenRecord>(
  'GatewayToken',
  {
    gateway_token_id: id,
    name: text(1, 100),
    chains: list(chain),
    methods: list(method),
    origins: list(origin),
    expire_time: timestamp,
    per_second_limit: perSecond,
    create_time: timestamp,
  },
  ['chains', 'methods', 'origins', 'expire_time', 'per_second_limit'],
);

const show = (document: GatewayTokenDocument): TokenRecord => {
  const { gateway_token_id, name, chains, methods, origins, expireTime, perSecondLimit, create_time } = document;
  return {
    gateway_token_id,
    name,
    ...(chains && { chains }),
    ...(methods && { methods }),
    ...(origins && { origins }),
    ...(expireTime !== undefined && { expire_time: expireTime }),
    ...(perSecondLimit !== undefined && { per_second_limit: perSecondLimit }),
    create_time,
  };
};

const tagOf = (name: string): string =>
  served.find(({ tag, segment }) => tag === name || segment === name)?.tag ??
  fail('INVALID_ARGUMENT', `Unknown chain. Chains: ${served.map(({ tag }) => tag).join(', ')}`);

/** Returns the documented name of a method. Rejects methods that the gateway does not serve on any chain. */
const methodOf = ({ nodes }: App, name: string): string => {
  const all = [...nodes.values()];
  const isDevelopment = all.some((node) => node.isDevelopment);
  const found = findMethod(name, isDevelopment);
  if (found) return found.name;
  if (all.some(({ extraMethods }) => extraMethods?.has(name))) return configuredMethod(name).name;
  return fail('INVALID_ARGUMENT', explainMethod(name, isDevelopment));
};

/** Converts an ISO time with a time zone, or Unix seconds, to an ISO time in UTC. */
const isoTimeOf = (given: string | number): string => {
  const ms = typeof given === 'number' ? given * 1000 : timeOf(given);
  return ms !== null && ms >= 0 && ms <= latestMs ? new Date(ms).toISOString() : fail('INVALID_ARGUMENT', notTime);
};

const once = (values: readonly string[]) => [...new Set(values)];

export const createGatewayToken = operation({
  kind: 'command',
  name: 'CreateGatewayToken',
  summary:
    'Create a key for gateway calls only, limited to chains, methods and origins. It is shown only in this answer.',
  surface: 'admin',
  extension: true,
  confidential: true,
  request: {
    organization_id: { schema: id },
    name: { schema: text(1, 100), required: true },
    chains: { schema: list(chain, some) },
    methods: { schema: list(method, some) },
    origins: { schema: list(origin, some) },
    expire_time: { schema: moment },
    per_second_limit: { schema: perSecond },
  },
  example: () => ({
    name: 'our web page',
    ...(anyChain && { chains: [anyChain] }),
    methods: ['evm_call', 'evm_getBalance'],
    origins: ['https://app.example'],
    per_second_limit: 20,
  }),
  response: { gateway_token_id: { schema: id, required: true }, token: { schema: id, required: true } },
  handle: async (app, request, by) => {
    const { organization_id, name, chains, methods, origins, expire_time, per_second_limit } = request;
    return app.gatewayTokens.create(by, app.organizations.targetOf(by, organization_id), {
      name,
      ...(chains && { chains: once(chains.map(tagOf)) }),
      ...(methods && { methods: once(methods.map((one) => methodOf(app, one))) }),
      ...(origins && { origins: once(origins) }),
      ...(expire_time !== undefined && { expireTime: isoTimeOf(expire_time) }),
      ...(per_second_limit !== undefined && { perSecondLimit: per_second_limit }),
    });
  },
});

export const listGatewayTokens = operation({
  kind: 'query',
  name: 'ListGatewayTokens',
  summary: "List an organization's gateway tokens, newest first, without the tokens themselves; your own by default.",
  surface: 'admin',
  extension: true,
  request: {
    organization_id: { schema: id },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  example: () => ({ organization_id: anyOrganization }),
  response: {
    gateway_tokens: { schema: list(tokenRecord), required: true },
    gateway_keys: { schema: keys, required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { organization_id, page_size = 10, page_token }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    const page = { size: page_size, token: page_token };
    const { documents, nextPageToken } = await app.gatewayTokens.list(found.organization_id, page);
    const gateway_keys: GatewayKeys = await app.gatewayTokens.keys(found.organization_id);
    return { gateway_tokens: documents.map(show), gateway_keys, pagination: { next_page_token: nextPageToken } };
  },
});

export const deleteGatewayToken = operation({
  kind: 'command',
  name: 'DeleteGatewayToken',
  summary: 'Delete a gateway token. It is rejected from then on, and its open connections are closed.',
  surface: 'admin',
  extension: true,
  request: { organization_id: { schema: id }, gateway_token_id: { schema: id, required: true } },
  example: () => ({ gateway_token_id: anyToken }),
  response: {},
  handle: async (app, { organization_id, gateway_token_id }, by) =>
    app.gatewayTokens.delete(by, app.organizations.targetOf(by, organization_id), gateway_token_id),
});

export const setGatewayKeys = operation({
  kind: 'command',
  name: 'SetGatewayKeys',
  summary:
    'Set which keys the gateway accepts from an organization: api_keys and tokens (`api_key`), or only tokens (`tokens`).',
  surface: 'admin',
  extension: true,
  request: { organization_id: { schema: id }, gateway_keys: { schema: keys, required: true } },
  // Shows `api_key`, because the other value would make the gateway reject the api_key of a reader who sends the
  // example.
  example: () => ({ gateway_keys: 'api_key' as const }),
  response: {},
  handle: async (app, { organization_id, gateway_keys }, by) =>
    app.gatewayTokens.setKeys(by, app.organizations.targetOf(by, organization_id), gateway_keys),
});
