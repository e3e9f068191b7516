import { type Assets, createAssets } from './assets/assets.js';
import { type Contracts, createContracts } from './assets/contracts.js';
import { createRefreshes, type Refreshes } from './assets/refreshes.js';
import { createDescriptions, type Descriptions } from './assets/token-descriptions.js';
import { createTransfers, type Transfers } from './assets/transfers.js';
import type { LoopTurns } from './async/loop-turns.js';
import type { Handle } from './commands/handle.js';
import type { Chains } from './ports/chains.js';
import type { AddressCodecs, TransactionCodec } from './ports/codec.js';
import type { Streams } from './ports/event-store.js';
import type { ReadModels } from './ports/read-models.js';
import type { Sender, WebhookSigner } from './ports/sender.js';
import type { System } from './ports/system.js';
import type { Vault } from './ports/vault.js';
import { createLists, type PageTokens } from './read-models/paging.js';
import type { Progress } from './read-models/progress.js';
import { createTransactions, type Transactions } from './transactions/transactions.js';
import { createAddressParser } from './wallets/address-parser.js';
import { type Addresses, createAddresses, type HeadAhead } from './wallets/addresses.js';
import { createWallets, type Wallets } from './wallets/wallets.js';
import { createDeliveries, type Deliveries } from './webhooks/deliveries.js';
import { createWebhookHeaders, type WebhookHeaders } from './webhooks/headers.js';
import { createWebhooks, type Webhooks } from './webhooks/webhooks.js';

/** Use cases behind the Gets and Lists of the wallet APIs. */
export type WalletApis = {
  readonly wallets: Wallets;
  readonly addresses: Addresses;
  readonly transfers: Transfers;
  readonly assets: Assets;
  readonly contracts: Contracts;
  readonly descriptions: Descriptions;
  readonly refreshes: Refreshes;
  readonly webhooks: Webhooks;
  readonly webhookHeaders: WebhookHeaders;
  readonly deliveries: Deliveries;
  readonly transactions: Transactions;
};

export type WalletApiPorts = {
  readonly handle: Handle;
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly pageTokens: PageTokens;
  readonly progress: Progress;
  readonly chains: Chains;
  readonly headAhead: HeadAhead;
  readonly vault: Vault;
  readonly codecs: AddressCodecs;
  readonly transactionCodec: TransactionCodec;
  readonly sender: Sender;
  readonly signer: WebhookSigner;
  readonly turns: LoopTurns;
  readonly challengeEndpoints: boolean;
  readonly system: System;
};

/** Creates the use cases over the current stores or, to answer as of a moment, over those of the past. */
export const createWalletApis = (given: WalletApiPorts): WalletApis => {
  const { readModels, pageTokens } = given;
  const lists = createLists(readModels, pageTokens);
  const ports = { ...given, lists, addressParser: createAddressParser(given) };
  const webhookHeaders = createWebhookHeaders(ports);
  return {
    wallets: createWallets(ports),
    addresses: createAddresses(ports),
    transfers: createTransfers(ports),
    assets: createAssets(ports),
    contracts: createContracts(ports),
    descriptions: createDescriptions(readModels),
    refreshes: createRefreshes(ports),
    webhooks: createWebhooks({ ...ports, removeHeaders: webhookHeaders.removeAllOf }),
    webhookHeaders,
    deliveries: createDeliveries(ports),
    transactions: createTransactions(ports),
  };
};
