import type { Balance } from '../../../domain/aggregates/ledger/ledger-data.js';
import { distinct } from '../../../domain/aggregates/ledger.js';
import { refresh, refreshPart } from '../../../domain/aggregates/refresh.js';
import { Failure } from '../../../domain/failure.js';
import type { Variant } from '../../../domain/variant.js';
import { type AddressDocument, addresses } from '../../../projections/addresses.js';
import type { RefreshDocument } from '../../../projections/assets.js';
import { type WalletDocument, wallets } from '../../../projections/wallets.js';
import { slicesOf } from '../../async/slices.js';
import { type Context, type Handle, scopeFor, step } from '../../commands/handle.js';
import type { Chain } from '../../ports/chain.js';
import type { Chains } from '../../ports/chains.js';
import type { Position } from '../../ports/event-store.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { System } from '../../ports/system.js';
import { confirmedHeader } from '../balance-ledger.js';
import { awaitRecentChanges, partSize, readChangedBalances, takeHoldings } from '../changed-balances.js';
import type { Contracts } from '../contracts.js';
import { createReceivedTokens } from '../received-tokens.js';
import { refreshStream } from './refreshes.js';

export type RefreshPorts = {
  readonly chain: Chain;
  readonly chains: Chains;
  readonly readModels: ReadModels;
  readonly contracts: Contracts;
  readonly handle: Handle;
  readonly system: System;
};
/** Running refresh with its progress, and the organization of the wallet. */
export type RefreshJob = { readonly organizationId: string; readonly document: RefreshDocument };
export type RefreshProgress = { readonly document: RefreshDocument; readonly isEnded: boolean };

const ofJob = ({ refresh_id, wallet_id, standard }: RefreshDocument) => ({
  refreshId: refresh_id,
  walletId: wallet_id,
  standard,
});
/** Returns the fields `from` and `gap` of a search; an empty object for a refresh without a search. */
const searchOf = ({ from, gap }: RefreshDocument) => ({
  ...(from !== undefined && { from }),
  ...(gap !== undefined && { gap }),
});
/** Returns the first block of the search; undefined for a refresh without a search. */
const firstSearched = ({ from, gap = from }: RefreshDocument) =>
  gap === undefined ? undefined : Math.min(gap, from ?? gap);

const jobStream = (context: Context, { wallet_id, standard }: RefreshDocument) =>
  refreshStream(context, wallet_id, standard);

/**
 * Returns true while the block at which the previous part was read is on the chain. After a reorg, the balances of that
 * part may be wrong.
 */
const stands = async (chain: Chain, { at }: RefreshDocument) =>
  at.chain === (await chain.genesis()).hash && (await chain.headerAt(at.number))?.hash === at.hash;

const heightFor = async (chain: Chain, variant: Variant, wallet: WalletDocument) => {
  const { head, at } = await confirmedHeader(chain, variant, wallet.confirmation);
  const { hash: first } = await chain.genesis();
  return { head, at, height: { number: at.number, hash: at.hash, chain: first } };
};

type PartData = Parameters<(typeof refreshPart.decide)['Record']>[1];
const partStep = ({ organizationId }: Context, stream: string, data: PartData) =>
  step(refreshPart, organizationId, stream, { type: 'Record', data });

/**
 * Stores readings in new streams, at most `partSize.balances` in each. Returns the position of the last append, or 0 if
 * there are no readings.
 */
export const recordReadings = async (
  { handle, system }: Pick<RefreshPorts, 'handle' | 'system'>,
  context: Context,
  key: string,
  readings: PartData['balances'],
): Promise<Position> => {
  let position: Position = 0;
  for (const balances of slicesOf(readings, partSize.balances))
    position = await handle(context, [partStep(context, `${key}.${system.uuid()}`, { balances })]);
  return position;
};

/**
 * Stores the balances of a part and the progress of the refresh. Storing the same part twice advances the refresh only
 * once.
 */
const record = async (ports: RefreshPorts, context: Context, balances: readonly Balance[], next: RefreshProgress) => {
  const { handle } = ports;
  const { at, part, done, after, searched, correction } = next.document;
  const own = ofJob(next.document);
  const key = jobStream(context, next.document);
  const readings = balances.map((balance) => ({
    walletId: own.walletId,
    ...balance,
    at,
    ...(correction && { correction: true as const }),
  }));
  const countOfOthers = Math.max(0, readings.length - partSize.balances);
  await recordReadings(ports, context, key, readings.slice(0, countOfOthers));
  const isSearching = searched !== undefined;
  const advanced = (after || isSearching) && { ...own, part, done, at, after, ...(isSearching && { searched }) };
  const { from } = next.document;
  const data = { ...own, ...(from !== undefined && { from }) };
  const ended = step(refresh, context.organizationId, key, { type: 'End', data });
  await handle(context, [
    partStep(context, `${key}.${own.refreshId}.${part}`, {
      balances: readings.slice(countOfOthers),
      ...(advanced && { advanced }),
    }),
    ...(next.isEnded ? [ended] : []),
  ]);
};

type Page = { readonly documents: readonly AddressDocument[]; readonly hasMore: boolean };
type Reached = { readonly page: Page; readonly at: RefreshDocument['at']; readonly searched: number | null };

/**
 * Returns the progress after a part: the last address that was read or, while the search for these addresses is
 * unfinished, the last block that was searched.
 */
const progressOf = (document: RefreshDocument, { page, at, searched }: Reached): RefreshProgress => {
  const { searched: _, ...rest } = document;
  const moved = { ...rest, part: document.part + 1, at };
  if (searched !== null) return { document: { ...moved, searched }, isEnded: false };
  const last = page.documents.at(-1);
  const after = last ? { position: last.position, address: last.address } : document.after;
  return { document: { ...moved, done: document.done + page.documents.length, after }, isEnded: !page.hasMore };
};

/**
 * Returns a function that searches for tokens that addresses received. If no node has the logs from an unreadable block
 * on, their search is left out, so that the refresh ends.
 */
const createSearch = (ports: RefreshPorts) => {
  const received = createReceivedTokens(ports);
  return async (context: Context, document: RefreshDocument, some: readonly AddressDocument[], to: number) => {
    const { wallet_id, standard, from: requested = to + 1, searched } = document;
    const first = firstSearched(document);
    if (first === undefined) return { tokens: [], searched: to };
    const from = searched === undefined ? first : searched + 1;
    try {
      return await received(context, { standard, addresses: some.map(({ address }) => address), from, to });
    } catch (error) {
      if (from >= requested || !(error instanceof Failure && error.code === 'NODE_ERROR')) throw error;
      const fields = { organization: context.organizationId, wallet: wallet_id, from, err: error };
      ports.system.log.warn(fields, 'Tokens received in an unreadable block were not searched for');
      return { tokens: [], searched: requested - 1 };
    }
  };
};

/** Returns a function that reads and stores the next part of a refresh. A reorg restarts the refresh. */
export const createRefreshParts = (ports: RefreshPorts, variant: Variant) => {
  const { chain, readModels, handle, system } = ports;
  const search = createSearch(ports);

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
    // Ends this job. The restarted refresh is a new job, which the read models return once they include the restart.
    return { document, isEnded: true };
  };

  /**
   * Returns the first addresses of the page, as many as fit into one part, and their balances to read. A refresh with a
   * search takes all addresses of the page, because a search covers the whole page.
   */
  const takePart = async (context: Context, document: RefreshDocument, page: Page) => {
    const { standard } = document;
    const limit = firstSearched(document) === undefined ? partSize.balances : undefined;
    const part = await takeHoldings(ports, context, { addresses: page.documents, standard }, limit);
    const isWhole = part.addresses.length === page.documents.length;
    return { holdings: part.holdings, page: { documents: part.addresses, hasMore: page.hasMore || !isWhole } };
  };

  return async ({ organizationId, document }: RefreshJob): Promise<RefreshProgress> => {
    const { wallet_id: walletId, after, correction } = document;
    const actor = { kind: 'process', id: 'balance refresher' } as const;
    const context: Context = { organizationId, variant, actor, requestId: `refresh ${document.refresh_id}` };
    const scope = scopeFor(context);
    const wallet = await readModels.get(wallets, { scope, id: walletId });
    if (!wallet) throw new Error(`Wallet ${walletId} is not in the read models yet`);
    if (!(await stands(chain, document))) return restart(context, document, wallet);
    const { documents, next: following } = await readModels.page(addresses, scope, {
      index: 'byWallet',
      equal: [walletId],
      limit: partSize.addresses,
      after: after ? [after.position, after.address] : undefined,
      oldestFirst: true,
    });
    const page = { documents, hasMore: following !== null };
    const { head, at, height } = await heightFor(chain, variant, wallet);
    const { tokens, searched } = await search(context, document, page.documents, head.number);
    const isSearched = searched >= head.number;
    const part = await takePart(context, document, isSearched ? page : { ...page, documents: [] });
    const holdings = distinct([...tokens, ...part.holdings]);
    const place = { walletId, at, chain: height.chain, correction, holdings };
    const balances = await readChangedBalances(ports, context, place);
    if (document.from !== undefined) await awaitRecentChanges(ports, context, { ...place, head, balances });
    const next = progressOf(document, { page: part.page, at: height, searched: isSearched ? null : searched });
    await record(ports, context, balances, next);
    return next;
  };
};
