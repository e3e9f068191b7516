import { refresh } from '../../../domain/aggregates/refresh.js';
import { type Asset, isNumbered } from '../../../domain/asset.js';
import { Failure } from '../../../domain/failure.js';
import { thresholdOf, type Variant } from '../../../domain/variant.js';
import type { UnreadableBlockDocument } from '../../../projections/unreadable-blocks.js';
import { type WalletDocument, wallets } from '../../../projections/wallets.js';
import { confirmedHeader } from '../../assets/balance-ledger.js';
import type { Contracts } from '../../assets/contracts.js';
import { refreshStream } from '../../assets/refreshing/refreshes.js';
import { type Context, type Handle, step } from '../../commands/handle.js';
import { readAggregate } from '../../commands/read-aggregate.js';
import type { Chain } from '../../ports/chain.js';
import type { Streams } from '../../ports/event-store.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { System } from '../../ports/system.js';
import { documentsOfAllOwners } from '../../read-models/scan-owners.js';
import { type BlockRecords, followedBlockOf } from './block-records.js';

type Ports = {
  readonly chain: Chain;
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly contracts: Contracts;
  readonly handle: Handle;
  readonly system: System;
};
type Wanted = {
  readonly reason: string;
  /** Selects wallets by the number of confirmations that a wallet requires. */
  readonly isWanted: (threshold: number) => boolean;
  /** True when earlier readings at a greater height do not count, because their blocks were replaced. */
  readonly correction?: true;
  /** Unreadable block from which logs are searched for received tokens; absent for no search. */
  readonly gap?: number;
};

type Height = { readonly number: number; readonly hash: string; readonly chain: string };
type Reading = { readonly at: Height; readonly correction?: true };
type Search = { readonly from?: number; readonly gap?: number };
type Wish = { readonly standard: Asset['standard']; readonly read: Reading; readonly gap: number | undefined };

const pauseMs = 1000;
const native: Asset['standard'] = 'native';

/** Returns the gap of a refresh that continues a running one; an empty object if the running search covers the block. */
const gapOf = ({ from, gap: known }: Search, gap: number | undefined): Search =>
  gap === undefined || (from !== undefined && from <= gap) ? {} : { gap: Math.min(gap, known ?? gap) };

/**
 * Creates a function that starts a refresh of all balances of the selected wallets. The balance refresher then carries
 * out the refresh.
 */
export const createRefreshAll = (ports: Ports, variant: Variant) => {
  const { chain, events, contracts, handle, system } = ports;

  const standardsOf = async (context: Context): Promise<readonly Asset['standard'][]> => {
    if (!variant.can.includes('token-contracts')) return [native];
    return [...new Set([native, ...(await contracts.list(context)).map(({ standard }) => standard)])];
  };
  /** Returns a function that looks up each height once, because wallets with equal confirmations share the height. */
  const createHeights = async () => {
    const { hash: first } = await chain.genesis();
    const known = new Map<number, Promise<Height>>();
    return (confirmation: number | undefined) => {
      const threshold = thresholdOf(variant, confirmation);
      const found =
        known.get(threshold) ??
        confirmedHeader(chain, variant, confirmation).then(({ at }) => ({
          number: at.number,
          hash: at.hash,
          chain: first,
        }));
      known.set(threshold, found);
      return found;
    };
  };
  const begin = async (context: Context, wallet: WalletDocument, { standard, read, gap }: Wish) => {
    const { organizationId } = context;
    const key = refreshStream(context, wallet.wallet_id, standard);
    const data = {
      refreshId: `ref_${system.uuid().replaceAll('-', '')}`,
      walletId: wallet.wallet_id,
      standard,
      total: wallet.address_count,
      done: 0,
      after: null,
      ...read,
    };
    // Restarts a running refresh, because it may have read some addresses before the unreadable block was made. The
    // restarted refresh keeps the search and the `correction` mark of the running refresh.
    const { running, ...kept } = await readAggregate(events, refresh, organizationId, key);
    const started = { ...data, ...kept, ...(isNumbered(standard) && gapOf(kept, gap)) };
    const command =
      running === null
        ? ({ type: 'Start', data: started } as const)
        : ({ type: 'Restart', data: { ...started, replaces: running } } as const);
    await handle(context, [step(refresh, organizationId, key, command)]);
  };
  const serve = async (context: Context, wallet: WalletDocument, wish: Omit<Wish, 'standard'>) => {
    try {
      for (const standard of await standardsOf(context)) await begin(context, wallet, { ...wish, standard });
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'QUOTA_EXCEEDED')) throw error;
      const fields = { organization: context.organizationId, wallet: wallet.wallet_id, err: error };
      system.log.warn(fields, 'Balances of a wallet were not refreshed: quota of its organization exceeded');
    }
  };

  return async ({ reason, isWanted, correction, gap }: Wanted): Promise<void> => {
    const heightFor = await createHeights();
    for await (const { organizationId, document } of documentsOfAllOwners(ports, wallets, variant.tag)) {
      if (!document.address_count || !isWanted(thresholdOf(variant, document.confirmation))) continue;
      const actor = { kind: 'process', id: 'follower' } as const;
      const context: Context = { organizationId, variant, actor, requestId: reason };
      const at = await heightFor(document.confirmation);
      await serve(context, document, { read: { at, ...(correction && { correction }) }, gap });
    }
  };
};

/**
 * Creates the process that refreshes the balances that an unreadable block may have changed. Wallets that require more
 * confirmations than the block has are refreshed once the block has the maximum number of confirmations that a wallet
 * may require.
 */
export const createUnreadableBlockBalances = (ports: Ports & { records: BlockRecords }, variant: Variant) => {
  const { chain, records, system } = ports;
  const refreshAll = createRefreshAll(ports, variant);
  const deepest = variant.can.includes('confirmation') ? variant.maxConfirmations : variant.depth;
  /**
   * Number of confirmations up to which wallets were refreshed, by block hash: wallets that require more confirmations
   * are still to be refreshed. The numbers are kept in memory only: after a restart, wallets are refreshed again.
   */
  const served = new Map<string, number>();

  const serve = async (document: UnreadableBlockDocument, head: number) => {
    const depth = Math.min(deepest, head - document.number + 1);
    const before = served.get(document.hash) ?? 0;
    if (depth < variant.depth || (before > 0 && depth < deepest)) return;
    const isWanted = (threshold: number) => threshold > before && threshold <= depth;
    if (depth > before) await refreshAll({ reason: `block ${document.hash}`, isWanted, gap: document.number });
    served.set(document.hash, depth);
    if (depth === deepest) await records.record({ type: 'ReadInstead', data: { block: followedBlockOf(document) } });
  };
  const round = async () => {
    const due = await records.balancesDue();
    if (due.length === 0) return;
    const [head, first] = [await chain.head(), await chain.genesis()];
    for (const document of due) if (document.chain === first.hash) await serve(document, head.number);
  };

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await round();
      await system.sleep(pauseMs, signal);
    }
  };
};

export type RefreshAll = ReturnType<typeof createRefreshAll>;
