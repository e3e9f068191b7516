import type { ImportedToken } from '../../domain/asset.js';
import { createAddressMap } from './address-map.js';

type TokenAccount = { readonly owner: string; readonly asset: ImportedToken };

/** Which tokens were imported for which addresses, by whom; holders are known by their numbers. */
export const createImports = (seed: number) => {
  const tokens = new Map<string, ReturnType<typeof createAddressMap>>();
  const accounts = new Map<string, TokenAccount>();
  return {
    /** `account`: where the chain keeps the address's tokens, when that is an address of its own. */
    add: (holder: number, { owner, asset }: TokenAccount, account: string | undefined) => {
      const importers = tokens.get(asset.contract) ?? createAddressMap(seed);
      tokens.set(asset.contract, importers);
      importers.add(owner, holder);
      if (account !== undefined) accounts.set(account, { owner, asset });
    },
    tokenAccount: (account: string): TokenAccount | null => accounts.get(account) ?? null,
    /** Whoever gives up an address gives up all that was imported for it. */
    remove: (address: string, holder: number) => {
      for (const importers of tokens.values()) importers.remove(address, holder);
    },
    has: (contract: string) => tokens.has(contract),
    isImported: (contract: string, address: string, holder: number) =>
      tokens.get(contract)?.values(address).includes(holder) === true,
  };
};
