import type { Variant } from '../../domain/variant.js';
import type { Balances } from '../assets/balances.js';
import { slicesOf } from '../async/slices.js';
import type { Context } from '../commands/handle.js';
import { holderKey } from '../watch-list/activities.js';
import type { DueImport } from '../watch-list/due-imports.js';
import type { WatchList } from '../watch-list/watch-list.js';

const addressesAtOnce = 500;

const byWallet = (imports: readonly DueImport[]) => {
  const wallets = new Map<string, DueImport[]>();
  for (const one of imports) {
    const same = wallets.get(holderKey(one)) ?? [];
    same.push(one);
    wallets.set(holderKey(one), same);
  }
  return wallets;
};

/** Reads balances that were requested at the registration of an address and are still due. */
export const createDueImporter = (ports: { watched: WatchList; balances: Balances }, variant: Variant) => {
  const { watched, balances } = ports;
  const contextOf = ({ organizationId, walletId }: DueImport): Context => ({
    organizationId,
    variant,
    actor: { kind: 'process', id: 'follower' },
    requestId: `import ${walletId}`,
  });
  const take = (holder: DueImport, some: readonly DueImport[]) =>
    balances.snapshot(contextOf(holder), {
      walletId: holder.walletId,
      confirmation: watched.confirmation(holder) ?? undefined,
      holdings: some.map(({ address }) => ({ address, asset: { standard: 'native' } })),
    });

  return async (): Promise<void> => {
    const wallets = byWallet(watched.dueImports());
    for (const all of wallets.values())
      for (const some of slicesOf(all, addressesAtOnce)) await take(all[0] as DueImport, some);
    if (wallets.size > 0) await watched.catchUp();
  };
};
