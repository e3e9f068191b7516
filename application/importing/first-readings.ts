import type { Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import { type AssetDocument, assetDocumentId, assets } from '../../projections/assets.js';
import { areHeld } from '../assets/assets.js';
import { awaitBalances } from '../assets/balance-ledger.js';
import { slicesOf } from '../async/slices.js';
import { type Context, type Handle, scopeFor } from '../commands/handle.js';
import type { Chain } from '../ports/chain.js';
import type { ReadModels } from '../ports/read-models.js';

type Ports = { readonly chain: Chain; readonly readModels: ReadModels; readonly handle: Handle };

type Changed = {
  readonly walletId: string;
  readonly holdings: readonly Holding[];
  /** Hash of the chain's first block. */
  readonly chain: string;
};

const holdingsAtOnce = 500;

/**
 * Creates a function that has the follower read the balances that imported blocks changed and that ListAssets does not
 * show yet. Without any reading, a statement would take the sum of the imported movements for the balance, although the
 * address may have owned more before the first imported block. The context must not be `repeatable`, because the follower
 * may record other touches at the same revision of the ledger.
 */
export const createFirstReadings = ({ chain, readModels, handle }: Ports) => {
  const unreadIn = async (context: Context, { walletId, holdings }: Changed) => {
    const scope = scopeFor(context);
    const idOf = ({ address, asset }: Holding) => assetDocumentId(walletId, address, asset);
    const found = await readModels.getMany(
      assets,
      holdings.map((one) => ({ scope, id: idOf(one) })),
    );
    const documents = found.filter((one) => one !== null);
    const held = await areHeld(readModels, context, documents);
    const shown = new Set<AssetDocument | null | undefined>(documents.filter((_, i) => held[i]));
    return holdings.filter((_, i) => !shown.has(found[i]));
  };
  return async (context: Context, changed: Changed): Promise<void> => {
    for (const holdings of slicesOf(changed.holdings, holdingsAtOnce)) {
      const unread = await unreadIn(context, { ...changed, holdings });
      if (unread.length === 0) continue;
      await awaitBalances(handle, context, { ...changed, holdings: unread, at: await chain.head() });
    }
  };
};
