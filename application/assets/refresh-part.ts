import type { Balance } from '../../domain/aggregates/ledger/ledger-data.js';
import { refresh, refreshPart } from '../../domain/aggregates/refresh.js';
import { isNumbered } from '../../domain/asset.js';
import type { Variant } from '../../domain/variant.js';
import { type AddressDocument, addresses } from '../../projections/addresses.js';
import type { RefreshDocument } from '../../projections/assets.js';
import { type WalletDocument, wallets } from '../../projections/wallets.js';
import { slicesOf } from '../async/slices.js';
import { type Context, type Handle, scopeFor, step } from '../commands/handle.js';
import type { Chain } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { confirmedHeader } from './balance-ledger.js';
import { readChangedBalances } from './changed-balances.js';
import type { Contracts } from './contracts.js';
import { createReceivedTokens } from './received-tokens.js';
import { refreshStream } from './refreshes.js';

export type RefreshPorts = {
  readonly chain: Chain;
  readonly chains: Chains;
  readonly readModels: ReadModels;
  readonly contracts: Contracts;
  readonly handle: Handle;
  readonly system: System;
};
/** Running refresh and its progress. */
export type RefreshJob = { readonly organizationId: string; readonly document: RefreshDocument };
export type RefreshProgress = { readonly document: RefreshDocument; readonly isEnded: boolean };

/** Limits of one part. A single address may exceed the limit of balances. */
const partSize = { addresses: 100, balances: 500 };

const ofJob = ({ refresh_id, wallet_id, standard }: RefreshDocument) => ({
  refreshId: refresh_id,
  walletId: wallet_id,
  standard,
});
/** Returns the first block of a search; empty for a refresh without a search. */
const searchOf = ({ from }: RefreshDocument) => (from === undefined ? {} : { from });

const jobStream = (context: Context, { wallet_id, standard }: RefreshDocument) =>
  refreshStream(context, wallet_id, standard);

const addressesAtOnce = async (contracts: Contracts, context: Context, { standard }: RefreshDocument) => {
  if (isNumbered(standard)) return partSize.addresses;
  const read = standard === 'native' ? 'token' : standard;
  const followed = (await contracts.list(context)).filter((one) => one.standard === read).length;
  return Math.max(1, Math.min(partSize.addresses, Math.floor(partSize.balances / Math.max(1, followed))));
};

/** Returns true while the block of the previous part is on the chain. After a reorg, the balances may be wrong. */
const stands = async (chain: Chain, { at }: RefreshDocument) =>
  at.chain === (await chain.genesis()).hash && (await chain.headerAt(at.number))?.hash === at.hash;

const heightFor = async (chain: Chain, variant: Variant, wallet: WalletDocument) => {
  const { at } = await confirmedHeader(chain, variant, wallet.confirmation);
  const { hash: first } = await chain.genesis();
  return { at, height: { number: at.number, hash: at.hash, chain: first } };
};

/** Stores the balances of a part. Storing the same part again changes nothing. */
const record = async (ports: RefreshPorts, context: Context, balances: readonly Balance[], next: RefreshProgress) => {
  const { handle, system } = ports;
  const { at, part, done, after, searched, correction } = next.document;
  const own = ofJob(next.document);
  const key = jobStream(context, next.document);
  const readings = balances.map((balance) => ({
    walletId: own.walletId,
    ...balance,
    at,
    ...(correction && { correction: true as const }),
  }));
  const partStep = (id: string, data: Parameters<(typeof refreshPart.decide)['Record']>[1]) =>
    step(refreshPart, context.organizationId, `${key}.${id}`, { type: 'Record', data });
  const slices = [...slicesOf(readings, partSize.balances)];
  const last = slices.pop() ?? [];
  for (const some of slices) await handle(context, [partStep(system.uuid(), { balances: some })]);
  const isSearching = searched !== undefined;
  const advanced = (after || isSearching) && { ...own, part, done, at, after, ...(isSearching && { searched }) };
  const data = { ...own, ...searchOf(next.document) };
  const ended = step(refresh, context.organizationId, key, { type: 'End', data });
  await handle(context, [
    partStep(`${own.refreshId}.${part}`, { balances: last, ...(advanced && { advanced }) }),
    ...(next.isEnded ? [ended] : []),
  ]);
};

type Page = { readonly documents: readonly AddressDocument[]; readonly next: unknown };
type Reached = { readonly page: Page; readonly at: RefreshDocument['at']; readonly searched: number | null };

/** Returns the progress after a part: the last address read, or the last block searched for the same addresses. */
const progressOf = (document: RefreshDocument, { page, at, searched }: Reached): RefreshProgress => {
  const { searched: _, ...rest } = document;
  const moved = { ...rest, part: document.part + 1, at };
  if (searched !== null) return { document: { ...moved, searched }, isEnded: false };
  const last = page.documents.at(-1);
  const after = last ? { position: last.position, address: last.address } : document.after;
  return { document: { ...moved, done: document.done + page.documents.length, after }, isEnded: page.next === null };
};

/** Returns a function that reads and stores the next part of a refresh. A reorg restarts the refresh. */
export const createRefreshParts = (ports: RefreshPorts, variant: Variant) => {
  const { chain, readModels, contracts, handle, system } = ports;
  const received = createReceivedTokens(ports);

  const restart = async (context: Context, document: RefreshDocument, wallet: WalletDocument) => {
    const { height } = await heightFor(chain, variant, wallet);
    const refreshId = `ref_${system.uuid().replaceAll('-', '')}`;
    const started = {
      ...ofJob(document),
      ...searchOf(document),
      refreshId,
      total: wallet.address_count || 0,
      done: 0,
      at: height,
      after: null,
    };
    const data = { ...started, correction: true as const, replaces: document.refresh_id };
    const key = jobStream(context, document);
    await handle(context, [step(refresh, context.organizationId, key, { type: 'Restart', data })]);
    // The restarted refresh is a new job, which the read models will show.
    return { document, isEnded: true };
  };

  const search = (context: Context, document: RefreshDocument, some: readonly AddressDocument[], to: number) => {
    const { standard, from, searched = (from ?? 0) - 1 } = document;
    if (from === undefined) return { tokens: [], searched: to };
    return received(context, { standard, addresses: some.map(({ address }) => address), from: searched + 1, to });
  };

  return async ({ organizationId, document }: RefreshJob): Promise<RefreshProgress> => {
    const { wallet_id: walletId, standard, after, correction } = document;
    const actor = { kind: 'process', id: 'balance refresher' } as const;
    const context: Context = { organizationId, variant, actor, requestId: `refresh ${document.refresh_id}` };
    const scope = scopeFor(context);
    const wallet = await readModels.get(wallets, { scope, id: walletId });
    if (!wallet) throw new Error(`Wallet ${walletId} is not in the read models yet`);
    if (!(await stands(chain, document))) return restart(context, document, wallet);
    const page = await readModels.page(addresses, scope, {
      index: 'byWallet',
      equal: [walletId],
      limit: await addressesAtOnce(contracts, context, document),
      after: after ? [after.position, after.address] : undefined,
      oldestFirst: true,
    });
    const { at, height } = await heightFor(chain, variant, wallet);
    const { tokens, searched } = await search(context, document, page.documents, at.number);
    const isSearched = searched >= at.number;
    const addressesRead = isSearched ? page.documents : [];
    const place = { walletId, standard, at, chain: height.chain, correction };
    const balances = await readChangedBalances(ports, context, {
      ...place,
      addresses: addressesRead,
      received: tokens,
    });
    const next = progressOf(document, { page, at: height, searched: isSearched ? null : searched });
    await record(ports, context, balances, next);
    return next;
  };
};
