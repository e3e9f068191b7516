import { refresh } from '../../domain/aggregates/refresh.js';
import { type Asset, isNumbered } from '../../domain/asset.js';
import { fail } from '../../domain/failure.js';
import { type AddressDocument, addresses } from '../../projections/addresses.js';
import { type WalletDocument, wallets } from '../../projections/wallets.js';
import { type Context, type Done, type Handle, idFor, type Nothing, scopeFor, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { Chains } from '../ports/chains.js';
import type { EventStore, Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { AddressParser } from '../wallets/address-parser.js';
import { confirmedHeader, recordBalances } from './balance-ledger.js';
import { readChanged } from './changed-balances.js';
import type { Contracts } from './contracts.js';
import { refreshStream } from './refreshes.js';

type Some = { readonly addresses: readonly AddressDocument[]; readonly standard: Asset['standard'] };

/**
 * Reads the balances of the first addresses before it answers, and leaves the rest to a process. A caller that asks for
 * the same while it is read gets the same answer.
 */
export type RefreshRequest = (
  context: Context,
  of: {
    walletId: string | undefined;
    address: string | undefined;
    standard: Asset['standard'];
    /** First block whose logs are looked through for received tokens. */
    from?: number | undefined;
  },
) => Promise<Done<Nothing>>;

export const beforeAnswering = 100;
/** Blocks that a search is charged for like one address. */
const blocksCountedAsOne = 100;

const checkSearch = (address: string | undefined, standard: Asset['standard']) => {
  const wrong = (message: string) => fail('INVALID_ARGUMENT', message, [{ path: '/from_block', message }]);
  if (!isNumbered(standard)) wrong('only tokens with ids are looked for in blocks; other balances are always complete');
  if (address !== undefined) wrong('tokens are looked for of whole wallets: leave out the address');
};

/** Shares the work of callers that ask for the same at the same time. */
const createJoin = () => {
  const running = new Map<string, Promise<Position>>();
  return (key: string, work: () => Promise<Position>): Promise<Position> => {
    const found = running.get(key);
    if (found !== undefined) return found;
    const started = work().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
};

export type RefreshRequestPorts = {
  readonly handle: Handle;
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly addressParser: AddressParser;
  readonly contracts: Contracts;
  readonly chains: Chains;
  readonly system: System;
};

/** Returns a function that starts a search for received tokens, or joins one from the same block on. */
const createSearchStart =
  ({ handle, events, chains, system }: RefreshRequestPorts) =>
  async (context: Context, wallet: WalletDocument, standard: Asset['standard'], from: number) => {
    const walletId = wallet.wallet_id;
    const chain = chains.of(context.variant);
    const key = refreshStream(context, walletId, standard);
    const found = await readAggregate(events, refresh, context.organizationId, key);
    if (found.running !== null && found.from !== from)
      return fail('CONFLICT', 'another refresh of this wallet is running; GetBalanceRefresh tells when it has ended');
    if (found.running !== null) return events.head();
    const { at } = await confirmedHeader(chain, context.variant, wallet.confirmation);
    const height = { number: at.number, hash: at.hash, chain: (await chain.genesis()).hash };
    const total = wallet.address_count || 0;
    const searches = Math.ceil(total / beforeAnswering);
    context.touch?.(total + searches * Math.ceil(Math.max(0, at.number - from) / blocksCountedAsOne));
    const refreshId = idFor(context, 'ref', system);
    const data = { refreshId, walletId, standard, total, done: 0, at: height, after: null, from };
    return handle(context, [step(refresh, context.organizationId, key, { type: 'Start', data })]);
  };

export const createRefreshRequest = (ports: RefreshRequestPorts): RefreshRequest => {
  const { handle, events, readModels, addressParser, chains, system } = ports;
  const join = createJoin();
  const searchWallet = createSearchStart(ports);

  const walletOf = async (context: Context, walletId: string | undefined, address: string | undefined) => {
    const held = address === undefined ? null : await addressParser.look(context, address);
    if (address !== undefined && (!held || (walletId !== undefined && held.wallet_id !== walletId)))
      return fail('NOT_FOUND', 'there is no such address');
    const id = held?.wallet_id ?? walletId ?? '';
    const wallet = await readModels.get(wallets, { scope: scopeFor(context), id });
    return { wallet: wallet ?? fail('NOT_FOUND', 'there is no such wallet'), held };
  };

  const readSome = async (context: Context, wallet: WalletDocument, wanted: Some) => {
    const { at } = await confirmedHeader(chains.of(context.variant), context.variant, wallet.confirmation);
    const { hash: chain } = await chains.of(context.variant).genesis();
    const place = { walletId: wallet.wallet_id, at, chain };
    const balances = await readChanged(ports, context, { ...place, ...wanted });
    const position =
      balances.length === 0 ? await events.head() : await recordBalances(handle, context, { ...place, balances });
    return { position, at: { number: at.number, hash: at.hash, chain } };
  };

  /** Reads the first addresses, and leaves those that follow to the process; joins a refresh that is running. */
  const readWallet = async (context: Context, wallet: WalletDocument, standard: Asset['standard']) => {
    const walletId = wallet.wallet_id;
    const query = { index: 'byWallet', equal: [walletId], limit: beforeAnswering, oldestFirst: true };
    const { documents, next } = await readModels.page(addresses, scopeFor(context), query);
    const key = refreshStream(context, walletId, standard);
    const isRunning = next && (await readAggregate(events, refresh, context.organizationId, key)).running !== null;
    if (isRunning) return events.head();
    const total = Math.max(wallet.address_count || 0, documents.length);
    context.touch?.(total);
    const { position, at } = await readSome(context, wallet, { addresses: documents, standard });
    const last = documents.at(-1);
    if (!next || !last) return position;
    const after = { position: last.position, address: last.address };
    const data = {
      refreshId: idFor(context, 'ref', system),
      walletId,
      standard,
      total,
      done: documents.length,
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
    const position = await join(key, async () => {
      if (!held) return readWallet(context, wallet, standard);
      return (await readSome(context, wallet, { addresses: [held], standard })).position;
    });
    return { answer: {}, position };
  };
};
