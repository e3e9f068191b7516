import type { Asset } from '../../domain/asset.js';
import type { Transfer } from '../../domain/ledger.js';
import type { Block, Touch } from '../ports/chain.js';
import type { Holder } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';

/** What one block did to one wallet; `own`: which of a transfer's addresses are the wallet's. */
export type BlockEntry = Holder & {
  readonly transfers: { readonly transfer: Transfer; readonly own: string[] }[];
  readonly touches: Touch[];
};

/**
 * Tokens are followed by those who registered the contract, under the standard they registered it with, or who imported
 * them for the address.
 */
const follows = (watched: WatchList, holder: Holder, asset: Asset, address: string) => {
  if (asset.standard === 'native') return true;
  if (asset.standard === 'token') return watched.isImported(holder, address, asset.contract);
  return watched.standardOf(holder.organizationId, asset.contract) === asset.standard;
};

const native: Asset = { standard: 'native' };

/** Whom the block concerns. Two organizations that watch one address get an entry each. */
export const entriesOf = ({ movements, touches }: Block, watched: WatchList): readonly BlockEntry[] => {
  const entries = new Map<string, BlockEntry>();
  const entryOf = (holder: Holder) => {
    const key = `${holder.organizationId}/${holder.walletId}`;
    const entry = entries.get(key) ?? { ...holder, transfers: [], touches: [] };
    entries.set(key, entry);
    return entry;
  };
  const take = (transfer: Transfer, address: string) => {
    for (const holder of watched.holders(address)) {
      if (!follows(watched, holder, transfer.asset, address)) continue;
      const { transfers } = entryOf(holder);
      const last = transfers.at(-1);
      if (last?.transfer === transfer) last.own.push(address);
      else transfers.push({ transfer, own: [address] });
    }
  };
  for (const { side, ...transfer } of movements) {
    const told = side ? [transfer[side]] : [transfer.from, transfer.to];
    for (const address of new Set(told)) take(transfer, address);
  }
  for (const touch of touches)
    for (const holder of watched.holders(touch.address))
      if (follows(watched, holder, touch.asset ?? native, touch.address)) entryOf(holder).touches.push(touch);
  return [...entries.values()];
};
