import { fail } from '../../domain/failure.js';
import { wallets } from '../../projections/wallets.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';

export const requireWallet = async (readModels: ReadModels, context: Context, walletId: string) => {
  const found = await readModels.get(wallets, { scope: scopeFor(context), id: walletId });
  return found ?? fail('NOT_FOUND', `Wallet not found: ${walletId}`);
};
