import { roles } from '../../domain/aggregates/credential.js';
import { quotaNames } from '../../domain/quota.js';
import { defaultLimits } from '../../domain/rate-limit.js';
import { chains } from '../../domain/variant.js';
import { operation } from './define.js';
import { anyKey, anyOrganization, anySecret } from './examples/ids.js';
import {
  credentialName,
  credentialRecord,
  organizationRecord,
  pageSize,
  pageToken,
  pagination,
  quotaRecord,
  rateLimitInfo,
  rateLimitRecord,
} from './records.js';
import { extension, formed, id, int64, list, oneOf, text, timestamp } from './schema.js';

const domain = formed(1, 50, '^[a-z0-9]+(?:-[a-z0-9]+)*$', 'a-z and 0-9, separated by single dashes');
const tags: readonly string[] = chains.map(({ tag }) => tag);
const chain = oneOf(['', ...tags]);
const limit = int64({ minimum: 0 });
const [anyChain = ''] = tags;

export const deleteCredential = operation({
  kind: 'command',
  name: 'DeleteCredential',
  summary: 'Delete a credential, given its key and secret. It is rejected from then on and cannot be restored.',
  surface: 'admin',
  request: { api_key: { schema: id, required: true }, api_secret: { schema: id, required: true } },
  example: () => ({ api_key: anyKey, api_secret: anySecret }),
  response: {},
  handle: (app, { api_key, api_secret }, by) => app.credentials.deleteWithSecret(by, api_key, api_secret),
});

export const deleteRateLimit = operation({
  kind: 'command',
  name: 'DeleteRateLimit',
  summary: "Delete an organization's rate-limit record of one chain, or all its records if no chain is given.",
  surface: 'admin',
  role: 'admin',
  request: { organization_id: { schema: id, required: true }, chain: { schema: chain } },
  example: () => ({ organization_id: anyOrganization, chain: anyChain }),
  response: {},
  handle: (app, { organization_id, chain }, by) => app.rateLimits.delete(by, organization_id, chain),
});

export const getOrganizationByDomain = operation({
  kind: 'query',
  name: 'GetOrganizationByDomain',
  summary: 'Find an organization by its domain.',
  surface: 'admin',
  request: { domain: { schema: domain, required: true } },
  example: () => ({ domain: 'acme' }),
  response: { organization: { schema: organizationRecord, required: true } },
  handle: async (app, { domain }, by) => {
    const { position, ...organization } = await app.organizations.find(by, { domain });
    return { organization };
  },
});

export const getRateLimit = operation({
  kind: 'query',
  name: 'GetRateLimit',
  summary:
    'Get the rate limits of an organization on a chain, or, without a chain, on chains without their own record.',
  surface: 'admin',
  request: { organization_id: { schema: id, required: true }, chain: { schema: chain } },
  example: () => ({ organization_id: anyOrganization, chain: anyChain }),
  response: {
    organization_id: { schema: id, required: true },
    ratelimit_info: { schema: rateLimitInfo, required: true },
    create_time: { schema: timestamp, required: true },
    update_time: { schema: timestamp, required: true },
  },
  handle: async (app, { organization_id, chain = '' }, by) =>
    app.rateLimits.find(await app.organizations.find(by, { id: organization_id }), chain),
});

export const listRateLimits = operation({
  kind: 'query',
  name: 'ListRateLimits',
  summary: 'List the rate-limit records of an organization.',
  surface: 'admin',
  request: { organization_id: { schema: id, required: true }, chain: { schema: chain } },
  example: () => ({ organization_id: anyOrganization }),
  response: { data: { schema: list(rateLimitRecord), required: true } },
  handle: async (app, { organization_id, chain }, by) => {
    const found = await app.organizations.find(by, { id: organization_id });
    return { data: await app.rateLimits.list(found.organization_id, chain) };
  },
});

export const createOrganization = operation({
  kind: 'command',
  name: 'CreateOrganization',
  summary: 'Create an organization with a unique domain.',
  surface: 'admin',
  role: 'admin',
  extension: true,
  request: { name: { schema: text(1, 100), required: true }, domain: { schema: domain, required: true } },
  example: () => ({ name: 'Acme', domain: 'acme' }),
  response: { organization_id: { schema: id, required: true } },
  handle: (app, wanted, by) => app.organizations.create(by, wanted),
});

export const createCredential = operation({
  kind: 'command',
  name: 'CreateCredential',
  summary: 'Issue a credential for an organization. Its secret is shown only in this answer.',
  surface: 'admin',
  role: 'admin',
  extension: true,
  confidential: true,
  request: {
    organization_id: { schema: id, required: true },
    role: { schema: oneOf(roles, 'client') },
    name: { schema: extension(credentialName) },
  },
  example: () => ({ organization_id: anyOrganization, role: 'client' as const, name: 'deploy-bot' }),
  response: { api_key: { schema: id, required: true }, api_secret: { schema: id, required: true } },
  handle: (app, { organization_id, role = 'client', name }, by) =>
    app.credentials.issue(by, organization_id, { role, name }),
});

export const listCredentials = operation({
  kind: 'query',
  name: 'ListCredentials',
  summary: 'List the credentials of an organization, newest first, without their secrets.',
  surface: 'admin',
  role: 'admin',
  extension: true,
  request: {
    organization_id: { schema: id, required: true },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  example: () => ({ organization_id: anyOrganization }),
  response: {
    credentials: { schema: list(credentialRecord), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { organization_id, page_size = 10, page_token }, by) => {
    const found = await app.organizations.find(by, { id: organization_id });
    const page = { size: page_size, token: page_token };
    const { documents, nextPageToken } = await app.credentials.list(found.organization_id, page);
    const credentials = documents.map(({ position, ...shown }) => shown);
    return { credentials, pagination: { next_page_token: nextPageToken } };
  },
});

export const setRateLimit = operation({
  kind: 'command',
  name: 'SetRateLimit',
  summary:
    'Set the rate limits of an organization on one chain, or, without a chain, on chains without their own record.',
  surface: 'admin',
  role: 'admin',
  extension: true,
  request: {
    organization_id: { schema: id, required: true },
    chain: { schema: chain },
    per_second_limit: { schema: limit, required: true },
    per_hour_limit: { schema: limit, required: true },
    per_day_limit: { schema: limit, required: true },
    per_month_limit: { schema: limit, required: true },
  },
  example: () => ({
    organization_id: anyOrganization,
    chain: anyChain,
    per_second_limit: defaultLimits.second,
    per_hour_limit: defaultLimits.hour,
    per_day_limit: defaultLimits.day,
    per_month_limit: defaultLimits.month,
  }),
  response: {},
  handle: (app, request, by) =>
    app.rateLimits.set(by, request.organization_id, request.chain ?? '', {
      second: request.per_second_limit,
      hour: request.per_hour_limit,
      day: request.per_day_limit,
      month: request.per_month_limit,
    }),
});

export const getLimits = operation({
  kind: 'query',
  name: 'GetLimits',
  summary: "List an organization's quotas with limit and usage; your own by default.",
  surface: 'admin',
  extension: true,
  request: { organization_id: { schema: id } },
  example: () => ({ organization_id: anyOrganization }),
  response: { quotas: { schema: list(quotaRecord), required: true } },
  handle: async (app, { organization_id }, by) => {
    const found = await app.organizations.find(by, { id: organization_id ?? by.organizationId });
    return { quotas: await app.quotas.list(found.organization_id) };
  },
});

export const setQuota = operation({
  kind: 'command',
  name: 'SetQuota',
  summary: 'Set a quota of an organization. Existing resources above the quota are kept; no more can be added.',
  surface: 'admin',
  role: 'admin',
  extension: true,
  request: {
    organization_id: { schema: id, required: true },
    quota: { schema: oneOf(quotaNames), required: true },
    limit: { schema: limit, required: true },
  },
  example: () => ({ organization_id: anyOrganization, quota: 'wallets' as const, limit: 1000 }),
  response: {},
  handle: (app, { organization_id, quota, limit }, by) => app.quotas.set(by, organization_id, quota, limit),
});
