import { type Assets, createAssets } from '../assets/assets.js';
import { type Contracts, createContracts } from '../assets/contracts.js';
import { createRefreshes, type Refreshes } from '../assets/refreshing/refreshes.js';
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

/** Use cases of the wallet APIs, which can also return records as of a past moment. */
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
  /** Events of an organization, which the notification feed reads up to the position that `horizon` returns. */
  readonly history: Pick<EventStore, 'readOrganization' | 'readOrganizationBackwards'>;
  readonly horizon: (organizationId: string) => Promise<Position>;
  /**
   * Wakes requests that wait for new notifications; null in use cases as of a past moment, in which no notification can
   * arrive.
   */
  readonly arrivals: Arrivals | null;
  readonly readModels: ReadModels;
  readonly pageTokens: PageTokens;
  readonly progress: Progress;
  /** State store; null in use cases as of a past moment, because the state store has only current entries. */
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
  /**
   * Maximum time in milliseconds that a request waits for the read models to include the events that the request
   * depends on.
   */
  readonly catchUpMs: number;
  readonly system: System;
};

/** Creates the use cases on the current stores, or on stores that were replayed up to a past moment. */
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
