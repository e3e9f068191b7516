import type { AddressRecord } from '../../application/address-book.js';
import type { RateLimitRecord } from '../../application/rate-limits.js';
import type { WalletRecord } from '../../application/wallets.js';
import { type Role, roles } from '../../domain/credential.js';
import type { Variant } from '../../domain/variant.js';
import type { OrganizationDocument } from '../../projections/organizations.js';
import { id, int64, list, oneOf, record, type Schema, text, timestamp } from './schema.js';

const stored = text(0, 200);

/** Stands for a wallet's id in examples. */
export const anyWallet = 'wal_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b';

export const anyOrganization = 'org_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b';
export const anyKey = 'ck_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b_00112233445566778899aabbccddeeff';

const addressMapping: Schema<AddressRecord> = record<AddressRecord>({ address: stored, user_friendly_address: stored });

/** SPEC 2.4: which fields a wallet has follows from what its variant can do. */
export const walletRecord = (variant: Variant): Schema<WalletRecord> => {
  const optional = {
    ...(variant.can.includes('confirmation') && { confirmation: int64({ minimum: 0 }) }),
    ...(variant.can.includes('friendly-address') && { address_mapping: list(addressMapping) }),
  };
  return record<WalletRecord>({
    wallet_id: stored,
    name: text(1, 50),
    addresses: list(stored),
    create_time: timestamp,
    update_time: timestamp,
    ...optional,
  } as never);
};

export const pagination = record<{ next_page_token: string }>({ next_page_token: text(0, 1000) });

export const pageSize = int64({ minimum: 1, maximum: 100, default: 10 });
export const pageToken = text(0, 1000);

/** SPEC 2.1 */
export const organizationRecord = record<Omit<OrganizationDocument, 'position'>>({
  organization_id: id,
  name: text(1, 100),
  domain: text(1, 50),
  create_time: timestamp,
  update_time: timestamp,
});

export const credentialRecord = record<{ api_key: string; role: Role; create_time: string }>({
  api_key: id,
  role: oneOf(roles),
  create_time: timestamp,
});

/** SPEC 2.3 */
const limit = int64({ minimum: 0 });
export const rateLimitInfo = record<RateLimitRecord['ratelimit_info']>({
  chain: text(0, 10),
  per_second_limit: limit,
  per_hour_limit: limit,
  per_day_limit: limit,
  per_month_limit: limit,
});
export const rateLimitRecord = record<RateLimitRecord>({
  organization_id: id,
  ratelimit_info: rateLimitInfo,
  create_time: timestamp,
  update_time: timestamp,
});
