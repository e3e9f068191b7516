import assert from 'node:assert/strict';
import type { Context } from '../../../application/commands/handle.js';
import type { WalletApis } from '../../../application/composition/wallet-apis.js';
import type { EventStore, Metadata, Position } from '../../../application/ports/event-store.js';
import type { Vault } from '../../../application/ports/vault.js';
import type { WalletRecord } from '../../../application/wallets/wallets.js';
import { Failure } from '../../../domain/failure.js';
import { type Variant, variants } from '../../../domain/variant.js';
import { evmTransactions } from '../../../infrastructure/chains/evm/transaction-codec.js';
import { readWhole } from '../../../interfaces/http/large-answer.js';
import {
  composeApp,
  contextOf,
  everyAsset,
  everyPage,
  everyTransfer,
  type openStores,
} from '../following/following.js';
import { coin, type Happened, moved, texts, tokenId } from './histories.js';
import { organizationIds, tags, walletIds } from './history-asks.js';
import { transactionIds } from './transaction-histories.js';
import { webhookIds } from './webhook-histories.js';

/**
 * Transaction codecs that treat every chain family as EVM, because the histories have EVM transactions on two wallet
 * APIs.
 */
export const evmEverywhere = { evm: evmTransactions, sui: evmTransactions, ton: evmTransactions };
const anytime = { startTime: undefined, endTime: undefined };

/** Lists every Get and List request of a wallet API about the resources in the histories. */
const asks = (records: WalletApis, by: Context): readonly (() => Promise<unknown>)[] => {
  const coins = { ...everyAsset, standard: 'native' } as const;
  const assetFilters = [coins, { ...everyAsset, standard: 'erc20', walletId: 'wal_1' } as const];
  return [
    () =>
      everyPage(async (token) => wallets(await readAnswer<WalletPage>(records.wallets.list(by, { size: 1, token })))),
    ...walletIds.flatMap((walletId) => [
      () => readAnswer(records.wallets.find(by, { walletId, address: undefined })),
      () => everyPage((token) => records.transfers.list(by, { ...everyTransfer, walletId }, { size: 1, token })),
      () => records.transactions.list(by, { walletId, address: undefined }, { size: 9, token: undefined }),
    ]),
    ...texts.flatMap((address) => [
      () => records.addresses.find(by, address),
      () => readAnswer(records.wallets.find(by, { walletId: undefined, address })),
      () => records.transfers.list(by, { ...everyTransfer, address }, { size: 9, token: undefined }),
      () => records.transactions.list(by, { walletId: undefined, address }, { size: 9, token: undefined }),
    ]),
    ...assetFilters.flatMap((filter) => [
      () => everyPage((token) => records.assets.list(by, filter, { size: 1, token })),
      () => records.assets.listAggregated(by, { ...filter, excludeZero: true }, { size: 9, token: undefined }),
    ]),
    () => records.contracts.list(by),
    async () => {
      const described = [...moved.map(({ asset }) => asset), { standard: 'erc721' as const, contract: coin, tokenId }];
      return described.map(await records.descriptions(by, described));
    },
    () => everyPage((token) => records.webhooks.list(by, { size: 1, token })),
    ...[undefined, ...webhookIds].flatMap((webhookId) => [
      () => readAnswer(records.webhookHeaders.list(by, webhookId)),
      () => everyPage((token) => records.deliveries.list(by, { webhookId, ...anytime }, { size: 1, token })),
    ]),
    ...webhookIds.map((webhookId) => () => records.webhooks.find(by, webhookId)),
    ...transactionIds.flatMap((transactionId) => [
      () => records.transactions.find(by, { transactionId, hash: undefined }),
      () => records.transactions.find(by, { transactionId: undefined, hash: `0xc${transactionId}` }),
      () => records.transactions.messageToSign(by, transactionId),
    ]),
  ];
};
export type WalletPage = { wallets: readonly WalletRecord[]; nextPageToken: string };
/** Reads an answer to its end, including all its lists. */
export const readAnswer = async <T>(answer: Promise<unknown>) => (await readWhole(await answer)) as T;
const wallets = (page: WalletPage) => ({ ...page, documents: page.wallets });

/**
 * Sends every Get and List request about the resources in the histories, and returns the answers as texts, including
 * errors.
 */
export const answers = (records: WalletApis, by: Context) =>
  Promise.all(
    asks(records, by).map(async (ask) => {
      try {
        return JSON.stringify(await ask());
      } catch (error) {
        if (error instanceof Failure) return `${error.code} ${error.message}`;
        throw error;
      }
    }),
  );

/** Vault without encryption, because the histories hold no real secrets. */
export const openVault: Vault = {
  seal: async (_, secret) => secret,
  open: async (keyId, sealed) => `${keyId} ${sealed}`,
  destroyKey: async () => undefined,
  changeMasterKey: async () => 0,
};

const why = {
  actor: { kind: 'operator', id: 'test' },
  requestId: 'r',
  causationId: 'r',
  correlationId: 'r',
} as const;

/** Runs a projector on the stores. `append` adds events and waits until the read models include them. */
export const openHistory = (
  stores: Awaited<ReturnType<typeof openStores>>,
  { asOfEvents = 1_000_000, wrap = (events: EventStore) => events } = {},
) => {
  const given = { asOfEvents, foldedEvents: asOfEvents, transactionCodecs: evmEverywhere };
  const app = composeApp({ ...stores, events: wrap(stores.events), vault: openVault }, given);
  const stop = new AbortController();
  const running = app.projector.run(stop.signal);
  const lengths = new Map<string, number>();
  const append = ({ stream, type, data, about }: Happened): Promise<Position> => {
    const { organizationId, variant, occurredAt } = about;
    const metadata: Metadata = { organizationId, variant, occurredAt, ...why };
    const length = lengths.get(stream) ?? 0;
    lengths.set(stream, length + 1);
    const event = { id: app.system.uuid(), type, data, metadata };
    return stores.events.append([{ stream, expected: length - 1, events: [event] }]);
  };
  return {
    app,
    events: stores.events,
    /** Appends the events, waits until the read models include them, and returns the last position. */
    append: async (happened: readonly Happened[]): Promise<Position> => {
      const position = Math.max(0, ...(await Promise.all(happened.map(append))));
      assert.ok(await app.progress.reached(position, 10_000));
      return position;
    },
    close: async () => {
      stop.abort();
      await running;
    },
  };
};

/** Renames the organizations of a history, so that several histories can share stores. */
export const renamed = (history: readonly Happened[], name: string): readonly Happened[] =>
  JSON.parse(JSON.stringify(history).replaceAll(/org_(?=[a-z])/g, `org_${name}`));
export const ownersOf = (name: string) =>
  organizationIds.flatMap((id) =>
    tags.map((tag) => contextOf(id.replace('org_', `org_${name}`), variants.find((one) => one.tag === tag) as Variant)),
  );
