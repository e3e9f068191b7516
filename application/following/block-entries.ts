import type { Transfer } from '../../domain/aggregates/ledger/ledger-data.js';
import { type Asset, assetKey } from '../../domain/asset.js';
import type { Block, Touch } from '../ports/chain.js';
import type { Holder } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';

/** Changes that one block makes to one wallet; `own` lists the addresses of a transfer that belong to the wallet. */
export type BlockEntry = Holder & {
  readonly transfers: { readonly transfer: Transfer; readonly own: string[] }[];
  readonly touches: Touch[];
};

type Holders = Pick<WatchList, 'holdersAt' | 'isImported' | 'standardOf'>;

/**
 * Returns whether a wallet follows an asset. Every wallet follows the native coin. A wallet follows a token if its
 * organization registered the contract with this standard, or imported the token for the address.
 */
const follows = (watched: Holders, holder: Holder, asset: Asset, address: string) => {
  if (asset.standard === 'native') return true;
  if (asset.standard === 'token' && watched.isImported(holder, address, asset.contract)) return true;
  return watched.standardOf(holder.organizationId, asset.contract) === asset.standard;
};

const native: Asset = { standard: 'native' };

/**
 * Joins the touches (balance changes without a transfer) with the same address, asset and reason, so that the fees of a
 * block are recorded together.
 */
const joined = (touches: readonly Touch[]): readonly Touch[] => {
  const found = new Map<string, Touch>();
  for (const touch of touches) {
    const key = `${touch.reason} ${touch.address} ${assetKey(touch.asset ?? native)}`;
    const fees = [...(found.get(key)?.fees ?? []), ...(touch.fees ?? [])];
    found.set(key, { ...touch, ...(fees.length > 0 && { fees }) });
  }
  return [...found.values()];
};

/** Returns one entry for each affected wallet; an address may belong to wallets of several organizations. */
export const entriesOf = ({ number, movements, touches }: Block, watched: Holders): readonly BlockEntry[] => {
  const entries = new Map<string, BlockEntry>();
  const entryOf = (holder: Holder) => {
    const key = `${holder.organizationId}/${holder.walletId}`;
    const entry = entries.get(key) ?? { ...holder, transfers: [], touches: [] };
    entries.set(key, entry);
    return entry;
  };
  const take = (transfer: Transfer, address: string) => {
    for (const holder of watched.holdersAt(address, number)) {
      if (!follows(watched, holder, transfer.asset, address)) continue;
      const { transfers } = entryOf(holder);
      const last = transfers.at(-1);
      if (last?.transfer === transfer) last.own.push(address);
      else transfers.push({ transfer, own: [address] });
    }
  };
  for (const { side, ...transfer } of movements) {
    const addresses = side ? [transfer[side]] : [transfer.from, transfer.to];
    for (const address of new Set(addresses)) take(transfer, address);
  }
  for (const touch of joined(touches))
    for (const holder of watched.holdersAt(touch.address, number))
      if (follows(watched, holder, touch.asset ?? native, touch.address)) entryOf(holder).touches.push(touch);
  return [...entries.values()];
};

/** Organization that has token accounts of `contract` which could not be verified. */
export type Unverified = { readonly organizationId: string; readonly contract: string };

/** Returns the organizations that follow token accounts which could not be verified when the block was read. */
export const unverifiedIn = ({ unverified = [], ...block }: Block, watched: Holders): readonly Unverified[] => {
  const touches = unverified.map(({ owner, asset }): Touch => ({ address: owner, asset, reason: 'fee' }));
  const found = new Map<string, Unverified>();
  for (const { organizationId, touches: own } of entriesOf({ ...block, movements: [], touches }, watched))
    for (const { asset } of own)
      if (asset && 'contract' in asset)
        found.set(`${organizationId} ${asset.contract}`, { organizationId, contract: asset.contract });
  return [...found.values()];
};
