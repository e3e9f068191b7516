import type { QuotaRecord } from '../../application/access/quota-guard.js';
import type { RateLimitRecord } from '../../application/access/rate-limits.js';
import type { EventRecord } from '../../application/audit/event-record.js';
import type { AddressRecord } from '../../application/wallets/address-parser.js';
import type { WalletRecord } from '../../application/wallets/wallets.js';
import { type Role, roles } from '../../domain/aggregates/credential.js';
import { eventTypes } from '../../domain/aggregates.js';
import { quotaNames } from '../../domain/quota.js';
import { chains, type Variant, variants } from '../../domain/variant.js';
import type { OrganizationDocument } from '../../projections/organizations.js';
import {
  anyObject,
  extension,
  id,
  int64,
  list,
  named,
  oneOf,
  openEnum,
  type Schema,
  text,
  timestamp,
} from './schema.js';

export const stored = text(0, 200);

const addressMapping: Schema<AddressRecord> = named<AddressRecord>('AddressMapping', {
  address: stored,
  user_friendly_address: stored,
});

/**
 * Returns the schema of a wallet (docs/specification.md#24-wallet). The fields of a wallet depend on the capabilities
 * of the variant.
 */
export const walletRecord = (variant: Variant): Schema<WalletRecord> => {
  const optional = {
    ...(variant.can.includes('confirmation') && { confirmation: int64({ minimum: 0 }) }),
    ...(variant.can.includes('friendly-address') && { address_mapping: list(addressMapping) }),
  };
  return named<WalletRecord>('Wallet', {
    wallet_id: stored,
    name: text(1, 50),
    addresses: list(stored),
    create_time: timestamp,
    update_time: timestamp,
    ...optional,
  } as never);
};

export const pagination = named<{ next_page_token: string }>('Pagination', { next_page_token: text(0, 1000) });

export const pageSize = int64({ minimum: 1, maximum: 100, default: 10 });
export const pageToken = text(0, 1000);
/** Schema of a time in Unix seconds. The maximum, a time in the year 5138, is within the range of Date. */
export const unixTime = int64({ minimum: 0, maximum: 99_999_999_999, description: 'Unix time in seconds' });

/** Schema of an organization (docs/specification.md#21-organization). */
export const organizationRecord = named<Omit<OrganizationDocument, 'position'>>('Organization', {
  organization_id: id,
  name: text(1, 100),
  domain: text(1, 50),
  create_time: timestamp,
  update_time: timestamp,
});

export const credentialName = text(1, 100);
export const credentialRecord = named<{
  api_key: string;
  role: Role;
  name?: string;
  create_time: string;
  last_used?: string;
}>('Credential', {
  api_key: id,
  role: oneOf(roles),
  name: extension(credentialName),
  create_time: timestamp,
  last_used: extension(timestamp),
});

export const sessionRecord = named<{ expire_time: string; idle_seconds: number }>('Session', {
  expire_time: timestamp,
  idle_seconds: int64({ minimum: 0 }),
});

/**
 * Schema of a limit: the maximum number of rate-limit units in a period (docs/specification.md#23-rate-limit-record),
 * or of the items that a quota counts.
 */
const limit = int64({ minimum: 0 });
export const rateLimitInfo = named<RateLimitRecord['ratelimit_info']>('ChainLimits', {
  chain: openEnum(['', ...chains.map(({ tag }) => tag)]),
  per_second_limit: limit,
  per_hour_limit: limit,
  per_day_limit: limit,
  per_month_limit: limit,
});
export const rateLimitRecord = named<RateLimitRecord>('RateLimit', {
  organization_id: id,
  ratelimit_info: rateLimitInfo,
  create_time: timestamp,
  update_time: timestamp,
});

export const quotaRecord = named<QuotaRecord>('Quota', {
  quota: oneOf(quotaNames),
  limit,
  used: int64({ minimum: 0 }),
});

export const eventRecord = named<EventRecord>('Event', {
  position: int64({ minimum: 0 }),
  commit_time: timestamp,
  occur_time: timestamp,
  event_id: id,
  stream: text(1, 1000),
  type: openEnum(eventTypes),
  chain: openEnum(variants.map(({ tag }) => tag)),
  actor: named<EventRecord['actor']>('Actor', {
    kind: openEnum(['credential', 'operator', 'process']),
    id: text(0, 1000),
  }),
  request_id: text(0, 1000),
  causation_id: text(0, 1000),
  correlation_id: text(0, 1000),
  data: anyObject,
});

export const chainText = text(0, 200);
/** Schema of a text from a contract. The length is limited when the text is read from the chain. */
export const foreignText = text(0, 1_000_000);
export const height = int64({ minimum: 0 });
