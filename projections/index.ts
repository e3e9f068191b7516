import type { Message } from '../domain/decider.js';
import { addresses } from './addresses.js';
import { assets } from './assets.js';
import { contracts } from './contracts.js';
import { credentials } from './credentials.js';
import type { Projection } from './define.js';
import { openDeliveries, webhookHistories } from './deliveries.js';
import { nonces } from './nonces.js';
import { organizations } from './organizations.js';
import { rateLimits } from './rate-limits.js';
import { tokens } from './tokens.js';
import { openTransactions, transactions } from './transactions.js';
import { transfers } from './transfers.js';
import { unsettled } from './unsettled.js';
import { wallets } from './wallets.js';
import { webhookEditions, webhookHeaders, webhookHealth, webhooks } from './webhooks.js';

// biome-ignore lint/suspicious/noExplicitAny: a list of differently shaped projections
export type AnyProjection = Projection<Message & any, any>;

/** Every projection, once. The runner, the stores' tables and the rebuild read this and nothing else. */
export const projections: readonly AnyProjection[] = [
  organizations,
  rateLimits,
  credentials,
  wallets,
  addresses,
  contracts,
  transfers,
  assets,
  tokens,
  unsettled,
  webhooks,
  webhookHeaders,
  webhookEditions,
  webhookHistories,
  webhookHealth,
  openDeliveries,
  transactions,
  openTransactions,
  nonces,
];
