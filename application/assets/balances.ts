import type { Asset } from '../../domain/asset.js';
import { refuse } from '../../domain/failure.js';
import type { Holding } from '../../domain/ledger.js';
import { addresses } from '../../projections/addresses.js';
import { assets } from '../../projections/assets.js';
import { wallets } from '../../projections/wallets.js';
import { type Context, type Done, type Handle, type Nothing, scopeFor } from '../commands/handle.js';
import type { Header } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { EventStore, Position } from '../ports/event-store.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { AddressBook } from '../wallets/address-parser.js';
import { awaitBalances, readBalances, recordBalances } from './balance-ledger.js';
import type { Contracts } from './contracts.js';

export type Balances = {
  /** Reads some addresses before it answers, the rest after. */
  refresh(
    context: Context,
    of: { walletId: string | undefined; address: string | undefined; standard: Asset['standard'] },
  ): Promise<Done<Nothing>>;
  /**
   * Reads them now, and has them read again when what is the head now is confirmed: what came between the confirmed
   * height and the head may have happened before anybody followed it.
   */
  take(context: Context, of: { walletId: string; confirmation: number | undefined } & Holdings): Promise<Position>;
};

type Holdings = { readonly holdings: readonly Holding[] };

export const beforeAnswering = 100;
const knownAtOnce = 1000;

type Wanted = {
  readonly walletId: string;
  readonly standard: Asset['standard'];
  readonly at: Header;
  readonly chain: string;
};

/** Tokens that differ from each other can only be asked for by name: those that were seen. */
const tokensSeen = async (readModels: ReadModels, context: Context, address: string, standard: Asset['standard']) => {
  const found: Asset[] = [];
  let after: PageKey | undefined;
  do {
    const query = { index: 'byAddress', equal: [address, standard], limit: knownAtOnce, after };
    const page = await readModels.page(assets, scopeFor(context), query);
    found.push(...page.documents.map(({ asset }) => asset));
    after = page.next ?? undefined;
  } while (after);
  return found;
};
const tokensImported = async (readModels: ReadModels, context: Context, address: string): Promise<Asset[]> => {
  const held = await readModels.get(addresses, { scope: scopeFor(context), id: address });
  return (held?.imports ?? []).map(({ asset }) => asset);
};
const assetsFor = async (
  { readModels, contracts }: { readModels: ReadModels; contracts: Contracts },
  context: Context,
  address: string,
  standard: Asset['standard'],
): Promise<Asset[]> => {
  if (standard === 'native') return [{ standard }, ...(await tokensImported(readModels, context, address))];
  if (standard !== 'erc20') return tokensSeen(readModels, context, address, standard);
  const followed = await contracts.list(context);
  return followed.filter((one) => one.standard === standard).map(({ contract }) => ({ standard, contract }));
};

/** In parts, of which the first is read before the answer. */
const addressesOf = async function* (addressBook: AddressBook, context: Context, walletId: string) {
  let some: string[] = [];
  for await (const page of addressBook.pages(context, walletId))
    for (const { address } of page) {
      some.push(address);
      if (some.length < beforeAnswering) continue;
      yield some;
      some = [];
    }
  yield some;
};

const onlyOne = async function* (address: string) {
  yield [address];
};

export const createBalances = (ports: {
  handle: Handle;
  events: EventStore;
  readModels: ReadModels;
  addressBook: AddressBook;
  contracts: Contracts;
  chains: Chains;
  system: System;
}): Balances => {
  const { handle, events, readModels, addressBook, chains, system } = ports;

  const walletOf = async (context: Context, walletId: string | undefined, address: string | undefined) => {
    const held = address === undefined ? null : await addressBook.look(context, address);
    if (address !== undefined && (!held || (walletId !== undefined && held.wallet_id !== walletId)))
      return refuse('NOT_FOUND', 'there is no such address');
    const id = held?.wallet_id ?? walletId ?? '';
    const wallet = await readModels.get(wallets, { scope: scopeFor(context), id });
    return { wallet: wallet ?? refuse('NOT_FOUND', 'there is no such wallet'), address: held?.address };
  };

  /** The height at which something counts as confirmed for the wallet. */
  const confirmedHeader = async (context: Context, confirmation: number | undefined) => {
    const chain = chains.of(context.variant);
    const head = await chain.head();
    const depth = Math.max(1, confirmation ?? context.variant.depth);
    if (depth === 1) return { head, at: head };
    const found = await chain.headerAt(Math.max(0, head.number - depth + 1));
    return { head, at: found ?? refuse('NODE_ERROR', 'the node does not know the confirmed block') };
  };

  const read = async (context: Context, some: readonly string[], { walletId, standard, at, chain }: Wanted) => {
    const holdings: Holding[] = [];
    for (const address of some)
      for (const asset of await assetsFor(ports, context, address, standard)) holdings.push({ address, asset });
    const balances = await readBalances(chains.of(context.variant), holdings, at);
    if (balances.length === 0) return events.head();
    return recordBalances(handle, context, { walletId, balances, at, chain });
  };
  const readRest = async (context: Context, rest: AsyncIterable<string[]>, wanted: Wanted) => {
    for await (const some of rest) await read(context, some, wanted);
  };

  return {
    refresh: async (context, { walletId, address, standard }) => {
      const { wallet, address: only } = await walletOf(context, walletId, address);
      const { at } = await confirmedHeader(context, wallet.confirmation);
      const { hash: chain } = await chains.of(context.variant).genesis();
      const wanted = { walletId: wallet.wallet_id, standard, at, chain };
      const parts = only === undefined ? addressesOf(addressBook, context, wallet.wallet_id) : onlyOne(only);
      const first = await parts.next();
      const position: Position = await read(context, first.value ?? [], wanted);
      void readRest(context, parts, wanted).catch((error: unknown) =>
        system.log.warn({ wallet: wallet.wallet_id, err: error }, 'not all balances could be read'),
      );
      return { answer: {}, position };
    },
    take: async (context, { walletId, confirmation, holdings }) => {
      const { head, at } = await confirmedHeader(context, confirmation);
      const { hash: chain } = await chains.of(context.variant).genesis();
      const balances = await readBalances(chains.of(context.variant), holdings, at);
      const read = await recordBalances(handle, context, { walletId, balances, at, chain });
      if (head.number === at.number) return read;
      return Math.max(read, await awaitBalances(handle, context, { walletId, holdings, at: head, chain }));
    },
  };
};
