import type { Asset } from '../../../domain/asset.js';
import { refreshes, refreshKey, searches } from '../../../projections/assets.js';
import { type Context, scopeFor } from '../../commands/handle.js';
import type { ReadModels } from '../../ports/read-models.js';
import { requireWallet } from '../../wallets/require-wallet.js';

/** Returns the stream key of a wallet's balance refreshes for an asset standard. */
export const refreshStream = ({ variant }: Context, walletId: string, standard: Asset['standard']) =>
  `${variant.tag}.${walletId}.${standard}`;

export type Refreshes = {
  /** Returns the progress of the running refresh in addresses; null when no refresh is running. */
  find(
    context: Context,
    walletId: string,
    standard: Asset['standard'],
  ): Promise<{ readonly done: number; readonly total: number } | null>;
  /** Returns the first block of the last search for received tokens; null when there was no search. */
  searchedFrom(context: Context, walletId: string, standard: Asset['standard']): Promise<number | null>;
};

export const createRefreshes = ({ readModels }: { readModels: ReadModels }): Refreshes => ({
  find: async (context, walletId, standard) => {
    await requireWallet(readModels, context, walletId);
    return readModels.get(refreshes, { scope: scopeFor(context), id: refreshKey(walletId, standard) });
  },
  searchedFrom: async (context, walletId, standard) => {
    const id = refreshKey(walletId, standard);
    return (await readModels.get(searches, { scope: scopeFor(context), id }))?.from ?? null;
  },
});
