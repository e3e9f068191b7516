import type { Message } from '../domain/decider.js';
import { addresses, addressImports, departures, removals, tokenAccounts } from './addresses.js';
import { assets, driftCounts, refreshes, searches, unreadBalances } from './assets.js';
import { contracts } from './contracts.js';
import type { Projection } from './define.js';
import { feedNotifications, openDeliveries, webhookAttempts, webhookHistories } from './deliveries.js';
import { nonces } from './nonces.js';
import { credentials, gatewayTokens, organizations, rateLimits } from './organizations.js';
import { drifts } from './statements/drifts.js';
import { imports, runningImports } from './statements/imports.js';
import { drops, readings } from './statements/readings.js';
import { registrations } from './statements/registrations.js';
import { touches } from './statements/touches.js';
import { tokens } from './tokens.js';
import { openTransactions, transactions } from './transactions.js';
import { transfers } from './transfers.js';
import { unreadableBlocks } from './unreadable-blocks.js';
import { unsettled } from './unsettled.js';
import { usage } from './usage.js';
import { wallets } from './wallets.js';
import { webhookEditions, webhookHeaders, webhookHealth, webhooks } from './webhooks.js';

// biome-ignore lint/suspicious/noExplicitAny: stands for projections of any document
export type AnyProjection = Projection<Message & any, any>;

/** All projections. The projector, the tables of the stores and the rebuild use this list. */
export const projections: readonly AnyProjection[] = [
  organizations,
  rateLimits,
  usage,
  credentials,
  gatewayTokens,
  wallets,
  addresses,
  addressImports,
  tokenAccounts,
  removals,
  departures,
  contracts,
  transfers,
  assets,
  refreshes,
  searches,
  tokens,
  unreadBalances,
  readings,
  drops,
  touches,
  drifts,
  registrations,
  imports,
  runningImports,
  driftCounts,
  unreadableBlocks,
  unsettled,
  webhooks,
  webhookHeaders,
  webhookEditions,
  webhookHistories,
  webhookAttempts,
  webhookHealth,
  feedNotifications,
  openDeliveries,
  transactions,
  openTransactions,
  nonces,
];
