import { type Assets, createAssets } from './assets/assets.js';
import { type Contracts, createContracts } from './assets/contracts.js';
import { createDescriptions, type Descriptions } from './assets/token-descriptions.js';
import { createTransfers, type Transfers } from './assets/transfers.js';
import { createHandle } from './commands/handle.js';
import type { Chains } from './ports/chains.js';
import type { AddressCodecs, TransactionCodec } from './ports/codec.js';
import type { Streams } from './ports/event-store.js';
import type { ReadModels } from './ports/read-models.js';
import type { LetterSigner, Sender } from './ports/sender.js';
import type { System } from './ports/system.js';
import type { Vault } from './ports/vault.js';
import { createLists, type PageTokens } from './read-models/paging.js';
import type { Progress } from './read-models/progress.js';
import { createTransactions, type Transactions } from './transactions/transactions.js';
import { createAddressBook } from './wallets/address-parser.js';
import { type Addresses, createAddresses } from './wallets/addresses.js';
import { createWallets, type Wallets } from './wallets/wallets.js';
import { createDeliveries, type Deliveries } from './webhooks/deliveries.js';
import { createWebhookHeaders, type WebhookHeaders } from './webhooks/headers.js';
import { createWebhooks, type Webhooks } from './webhooks/webhooks.js';

/** What the Gets and Lists of the wallet APIs answer from. */
export type Records = {
  readonly wallets: Wallets;
  readonly addresses: Addresses;
  readonly transfers: Transfers;
  readonly assets: Assets;
  readonly contracts: Contracts;
  readonly descriptions: Descriptions;
  readonly webhooks: Webhooks;
  readonly webhookHeaders: WebhookHeaders;
  readonly deliveries: Deliveries;
  readonly transactions: Transactions;
};

export type RecordPorts = {
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly pageTokens: PageTokens;
  readonly progress: Progress;
  readonly chains: Chains;
  readonly vault: Vault;
  readonly codecs: AddressCodecs;
  readonly transactionCodec: TransactionCodec;
  readonly sender: Sender;
  readonly signer: LetterSigner;
  readonly system: System;
};

/** Over the stores as they are or, to answer as of a moment, as they were. */
export const createRecords = (given: RecordPorts): Records => {
  const { events, readModels, pageTokens, system } = given;
  const handle = createHandle(events, system);
  const lists = createLists(readModels, pageTokens);
  const ports = { ...given, handle, lists, addressBook: createAddressBook(given) };
  return {
    wallets: createWallets(ports),
    addresses: createAddresses(ports),
    transfers: createTransfers(ports),
    assets: createAssets(ports),
    contracts: createContracts(ports),
    descriptions: createDescriptions(readModels),
    webhooks: createWebhooks(ports),
    webhookHeaders: createWebhookHeaders(ports),
    deliveries: createDeliveries(ports),
    transactions: createTransactions(ports),
  };
};
