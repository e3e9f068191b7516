import { type Assets, createAssets } from '../assets/assets.js';
import { type Contracts, createContracts } from '../assets/contracts.js';
import { createRefreshes, type Refreshes } from '../assets/refreshes.js';
import { createDescriptions, type Descriptions } from '../assets/token-descriptions.js';
import { createTransfers, type Transfers } from '../assets/transfers.js';
import type { LoopTurns } from '../async/turns/loop-turns.js';
import type { Handle } from '../commands/handle.js';
import { createHistoryImports, type HistoryImports } from '../importing/history-imports.js';
import type { Arrivals } from '../notifications/arrivals.js';
import { createNotifications, type Notifications } from '../notifications/notifications.js';
import type { Chains } from '../ports/chains.js';
import type { AddressCodecs, TransactionCodecs } from '../ports/codec.js';
import type { EventStore, Position, Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Sender, WebhookSigner } from '../ports/sender.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import { createLists } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { createStatements, type Statements } from '../statements/statements.js';
import { createTransactions, type Transactions } from '../transactions/transactions.js';
import { createAddressParser } from '../wallets/address-parser.js';
import { type Addresses, createAddresses, type HeadAhead } from '../wallets/addresses.js';
import { createWallets, type Wallets } from '../wallets/wallets.js';
import { createDeliveries, type Deliveries } from '../webhooks/deliveries.js';
import { createWebhookHeaders, type WebhookHeaders } from '../webhooks/headers.js';
import { createWebhooks, type Webhooks } from '../webhooks/webhooks.js';

/** Use cases of the wallet APIs that can also answer as of a past moment. */
export type WalletApis = {
  readonly wallets: Wallets;
  readonly addresses: Addresses;
  readonly transfers: Transfers;
  readonly assets: Assets;
  readonly statements: Statements;
  readonly historyImports: HistoryImports;
  readonly contracts: Contracts;
  readonly descriptions: Descriptions;
  readonly refreshes: Refreshes;
  readonly webhooks: Webhooks;
  readonly webhookHeaders: WebhookHeaders;
  readonly deliveries: Deliveries;
  readonly notifications: Notifications;
  readonly transactions: Transactions;
};

export type WalletApiPorts = {
  readonly handle: Handle;
  readonly events: Streams;
  /** Events by organization, which the notification feed reads up to `horizon`. */
  readonly history: Pick<EventStore, 'readOrganization' | 'readOrganizationBackwards'>;
  readonly horizon: (organizationId: string) => Promise<Position>;
  /** Null as of a past moment, to which nothing is added. */
  readonly arrivals: Arrivals | null;
  readonly readModels: ReadModels;
  readonly pageTokens: PageTokens;
  readonly progress: Progress;
  /** Null as of a past moment, whose state was not stored. */
  readonly state: StateStore | null;
  readonly chains: Chains;
  readonly headAhead: HeadAhead;
  readonly vault: Vault;
  readonly codecs: AddressCodecs;
  readonly transactionCodecs: TransactionCodecs;
  readonly sender: Sender;
  readonly signer: WebhookSigner;
  readonly turns: LoopTurns;
  readonly challengeEndpoints: boolean;
  /** Time that a command waits for read models which it depends on. */
  readonly catchUpMs: number;
  readonly system: System;
};

/** Creates the use cases over the current stores, or over stores that were replayed up to a past moment. */
export const createWalletApis = (given: WalletApiPorts): WalletApis => {
  const { readModels, pageTokens } = given;
  const lists = createLists(readModels, pageTokens);
  const descriptions = createDescriptions(readModels);
  const ports = { ...given, lists, descriptions, addressParser: createAddressParser(given) };
  const webhookHeaders = createWebhookHeaders(ports);
  return {
    wallets: createWallets(ports),
    addresses: createAddresses(ports),
    transfers: createTransfers(ports),
    assets: createAssets(ports),
    statements: createStatements(ports),
    historyImports: createHistoryImports(ports),
    contracts: createContracts(ports),
    descriptions,
    refreshes: createRefreshes(ports),
    webhooks: createWebhooks({ ...ports, removeHeaders: webhookHeaders.removeAllOf }),
    webhookHeaders,
    deliveries: createDeliveries(ports),
    notifications: createNotifications(ports),
    transactions: createTransactions(ports),
  };
};
