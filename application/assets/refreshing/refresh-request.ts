import type { Holding } from '../../../domain/aggregates/ledger/ledger-data.js';
import { refresh } from '../../../domain/aggregates/refresh.js';
import { type Asset, isNumbered } from '../../../domain/asset.js';
import { fail, invalid } from '../../../domain/failure.js';
import { addresses } from '../../../projections/addresses.js';
import { type WalletDocument, wallets } from '../../../projections/wallets.js';
import { createSingleFlight } from '../../async/single-flight.js';
import { type Context, type Done, type Handle, idFor, type Nothing, scopeFor, step } from '../../commands/handle.js';
import { readAggregate } from '../../commands/read-aggregate.js';
import type { Chains } from '../../ports/chains.js';
import type { EventStore, Position } from '../../ports/event-store.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { System } from '../../ports/system.js';
import type { AddressParser } from '../../wallets/address-parser.js';
import { confirmedHeader, recordBalances } from '../balance-ledger.js';
import { partSize, readChangedBalances, takeHoldings } from '../changed-balances.js';
import type { Contracts } from '../contracts.js';
import { recordReadings } from './refresh-part.js';
import { refreshStream } from './refreshes.js';

/**
 * Reads the balances of as many addresses as fit into one part (`partSize`), then returns. A background process reads
 * the other addresses. Concurrent requests for the same balances share one read.
 */
export type RefreshRequest = (
  context: Context,
  of: {
    walletId: string | undefined;
    address: string | undefined;
    standard: Asset['standard'];
    /** First block to search for received tokens; undefined for no search. */
    from?: number | undefined;
  },
) => Promise<Done<Nothing>>;

/** Number of searched blocks that are charged like one address. */
const blocksCountedAsOne = 100;

const checkSearch = (address: string | undefined, standard: Asset['standard']) => {
  if (!isNumbered(standard))
    invalid('/from_block', 'is only for tokens with ids (ERC-721, ERC-1155): other balances are always complete');
  if (address !== undefined)
    invalid('/from_block', 'cannot be combined with address: a search covers the whole wallet');
};

type Part = { readonly holdings: readonly Holding[]; readonly standard: Asset['standard'] };
type Balances = Parameters<typeof recordBalances>[2];

export type RefreshRequestPorts = {
  readonly handle: Handle;
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly addressParser: AddressParser;
  readonly contracts: Contracts;
  readonly chains: Chains;
  readonly system: System;
};

/** Returns a function that starts a search for received tokens, or joins a running search from the same block. */
const createSearchStart =
  ({ handle, events, chains, system }: RefreshRequestPorts) =>
  async (context: Context, wallet: WalletDocument, standard: Asset['standard'], from: number) => {
    const walletId = wallet.wallet_id;
    const chain = chains.of(context.variant);
    const key = refreshStream(context, walletId, standard);
    const found = await readAggregate(events, refresh, context.organizationId, key);
    if (found.running !== null && found.from !== from)
      return fail(
        'CONFLICT',
        'Another refresh of this wallet is running. GetBalanceRefresh shows its progress; retry when it has ended.',
      );
    if (found.running !== null) return events.head();
    const { at } = await confirmedHeader(chain, context.variant, wallet.confirmation);
    const height = { number: at.number, hash: at.hash, chain: (await chain.genesis()).hash };
    const total = wallet.address_count || 0;
    const searches = Math.ceil(total / partSize.addresses);
    context.touch?.(total + searches * Math.ceil(Math.max(0, at.number - from) / blocksCountedAsOne));
    const refreshId = idFor(context, 'ref', system);
    const data = { refreshId, walletId, standard, total, done: 0, at: height, after: null, from };
    return handle(context, [step(refresh, context.organizationId, key, { type: 'Start', data })]);
  };

/**
 * Returns a function that reads balances at the confirmed height of the wallet, and stores the balances that changed.
 */
const createPartReader = (ports: RefreshRequestPorts) => {
  const { handle, events, chains } = ports;
  /**
   * Stores up to `partSize.balances` balances in the ledger of their block, so that the balances are read again if a
   * reorg replaces the block. Stores a larger number of balances in separate streams.
   */
  const record = (context: Context, standard: Asset['standard'], { balances, at, ...place }: Balances) => {
    if (balances.length === 0) return events.head();
    if (balances.length <= partSize.balances) return recordBalances(handle, context, { ...place, at, balances });
    const { walletId, chain } = place;
    const block = { number: at.number, hash: at.hash, chain };
    const readings = balances.map((balance) => ({ walletId, ...balance, at: block }));
    return recordReadings(ports, context, refreshStream(context, walletId, standard), readings);
  };

  return async (context: Context, wallet: WalletDocument, { holdings, standard }: Part) => {
    const { at } = await confirmedHeader(chains.of(context.variant), context.variant, wallet.confirmation);
    const { hash: chain } = await chains.of(context.variant).genesis();
    const place = { walletId: wallet.wallet_id, at, chain };
    const balances = await readChangedBalances(ports, context, { ...place, holdings });
    const position = await record(context, standard, { ...place, balances });
    return { position, at: { number: at.number, hash: at.hash, chain } };
  };
};

export const createRefreshRequest = (ports: RefreshRequestPorts): RefreshRequest => {
  const { handle, events, readModels, addressParser, system } = ports;
  const reads = createSingleFlight<Position>();
  const searchWallet = createSearchStart(ports);
  const readPart = createPartReader(ports);

  const walletOf = async (context: Context, walletId: string | undefined, address: string | undefined) => {
    const held = address === undefined ? null : await addressParser.findRegistered(context, address);
    if (address !== undefined && (!held || (walletId !== undefined && held.wallet_id !== walletId)))
      return fail('NOT_FOUND', `Address not found: ${address}`);
    const id = held?.wallet_id ?? walletId ?? '';
    const wallet = await readModels.get(wallets, { scope: scopeFor(context), id });
    return { wallet: wallet ?? fail('NOT_FOUND', `Wallet not found: ${id}`), held };
  };

  /**
   * Reads the balances of the first addresses and starts a refresh of the other addresses, if any. Does nothing while
   * such a refresh is running.
   */
  const readWallet = async (context: Context, wallet: WalletDocument, standard: Asset['standard']) => {
    const walletId = wallet.wallet_id;
    const query = { index: 'byWallet', equal: [walletId], limit: partSize.addresses, oldestFirst: true };
    const { documents, next } = await readModels.page(addresses, scopeFor(context), query);
    const part = await takeHoldings(ports, context, { addresses: documents, standard }, partSize.balances);
    const count = part.addresses.length;
    const hasMore = next !== null || count < documents.length;
    const key = refreshStream(context, walletId, standard);
    const isRunning = hasMore && (await readAggregate(events, refresh, context.organizationId, key)).running !== null;
    if (isRunning) return events.head();
    const total = Math.max(wallet.address_count || 0, documents.length);
    // The charge assumes that the other addresses have as many balances each as the addresses of the first part.
    context.touch?.(Math.max(total, Math.ceil((total * part.holdings.length) / Math.max(1, count))));
    const { position, at } = await readPart(context, wallet, { holdings: part.holdings, standard });
    const last = part.addresses.at(-1);
    if (!hasMore || !last) return position;
    const after = { position: last.position, address: last.address };
    const data = {
      refreshId: idFor(context, 'ref', system),
      walletId,
      standard,
      total,
      done: count,
      at,
      after,
    };
    return handle(context, [step(refresh, context.organizationId, key, { type: 'Start', data })]);
  };

  return async (context, { walletId, address, standard, from }) => {
    const { wallet, held } = await walletOf(context, walletId, address);
    if (from !== undefined) {
      checkSearch(address, standard);
      return { answer: {}, position: await searchWallet(context, wallet, standard, from) };
    }
    const key = JSON.stringify([scopeFor(context), wallet.wallet_id, held?.address, standard]);
    const position = await reads.run(key, undefined, async () => {
      if (!held) return readWallet(context, wallet, standard);
      const { holdings } = await takeHoldings(ports, context, { addresses: [held], standard });
      context.touch?.(holdings.length);
      return (await readPart(context, wallet, { holdings, standard })).position;
    });
    return { answer: {}, position };
  };
};
