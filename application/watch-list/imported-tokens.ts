import type { ImportedToken } from '../../domain/asset.js';
import { createAddressMap } from './address-map.js';

type TokenAccount = { readonly owner: string; readonly asset: ImportedToken };
/** Claim that an account holds tokens of an owner. `holders` are the numbers of the wallets that made the claim. */
type Claim = TokenAccount & { readonly holders: Set<number> };

/**
 * Token accounts, and the addresses to which they belong according to organizations. All claims about an account are
 * kept, because an organization may name a wrong address, which must not displace the claim of another organization.
 */
const createTokenAccounts = () => {
  const claims = new Map<string, Claim[]>();
  const accountsOf = new Map<string, Set<string>>();
  const forgetAccount = (owner: string, account: string) => {
    const accounts = accountsOf.get(owner);
    accounts?.delete(account);
    if (accounts?.size === 0) accountsOf.delete(owner);
  };
  const withdraw = (account: string, owner: string, holder: number) => {
    const known = claims.get(account) ?? [];
    const own = known.filter((one) => one.owner === owner);
    for (const { holders } of own) holders.delete(holder);
    const left = known.filter(({ holders }) => holders.size > 0);
    claims.set(account, left);
    if (left.length === 0) claims.delete(account);
    if (own.every(({ holders }) => holders.size === 0)) forgetAccount(owner, account);
  };
  return {
    add: (account: string, { owner, asset }: TokenAccount, holder: number) => {
      const known = claims.get(account) ?? [];
      claims.set(account, known);
      const same = known.find((one) => one.owner === owner && one.asset.contract === asset.contract);
      if (same) same.holders.add(holder);
      else known.push({ owner, asset, holders: new Set([holder]) });
      accountsOf.set(owner, (accountsOf.get(owner) ?? new Set()).add(account));
    },
    of: (account: string): readonly TokenAccount[] => claims.get(account) ?? [],
    remove: (owner: string, holder: number) => {
      for (const account of accountsOf.get(owner) ?? []) withdraw(account, owner, holder);
    },
  };
};

/**
 * Index of imported tokens by address and wallet. Wallets are identified by their numbers from `holder-numbers.ts`;
 * `seed` varies the hashes of the address maps.
 */
export const createImportedTokens = (seed: number) => {
  const tokens = new Map<string, ReturnType<typeof createAddressMap>>();
  const accounts = createTokenAccounts();
  /** Contracts of imported tokens, by address. */
  const contractsOf = new Map<string, Set<string>>();
  return {
    /**
     * Adds an imported token. `account` is the address that holds the tokens; undefined if the owner's address itself
     * holds them.
     */
    add: (holder: number, token: TokenAccount, account: string | undefined) => {
      const { owner, asset } = token;
      const importers = tokens.get(asset.contract) ?? createAddressMap(seed);
      tokens.set(asset.contract, importers);
      importers.add(owner, holder);
      const contracts = contractsOf.get(owner) ?? new Set();
      contractsOf.set(owner, contracts.add(asset.contract));
      if (account !== undefined) accounts.add(account, token, holder);
    },
    /**
     * Adds the token account of an owner. The token is followed only if it is imported or its contract is registered.
     */
    claim: (holder: number, token: TokenAccount, account: string) => accounts.add(account, token, holder),
    tokenAccounts: accounts.of,
    /** Removes all tokens that the wallet imported for the address. */
    remove: (address: string, holder: number) => {
      accounts.remove(address, holder);
      const contracts = contractsOf.get(address);
      for (const contract of contracts ?? []) {
        tokens.get(contract)?.remove(address, holder);
        if (!tokens.get(contract)?.has(address)) contracts?.delete(contract);
      }
      if (contracts?.size === 0) contractsOf.delete(address);
    },
    has: (contract: string) => tokens.has(contract),
    isImported: (contract: string, address: string, holder: number) =>
      tokens.get(contract)?.values(address).includes(holder) === true,
  };
};
