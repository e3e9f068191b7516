import { assetKey, type ImportedToken } from '../asset.js';
import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

/** Longest stored form of an address on any chain, in UTF-16 code units. */
export const maxAddressLength = 200;

type Registered = { address: string; walletId: string; importAsset?: true };
/** `head`: height of the chain at the removal, while the follower had not reached it: deposits up to there count. */
type Remove = { address: string; walletId: string; head?: number };
/** `imports`: number of imports that counted against the quota and ended with the address; absent for none. */
type Removed = Remove & { imports?: number };
/** `account` is the address that holds these tokens, on chains where that is not the owner's own address. */
type Import = { address: string; walletId: string; asset: ImportedToken; account?: string };
/** `counted` is absent in imports of the time before they had a quota: the removals of then do not tell their number. */
type Imported = Import & { counted?: true };

type Found = { address: string; walletId: string; asset: ImportedToken; account: string };

export type AddressEvent =
  | { type: 'AddressRegistered'; data: Registered }
  | { type: 'AddressRemoved'; data: Removed }
  /** Tokens of one kind at the address are followed too, from this event until the address is removed. */
  | { type: 'AssetImported'; data: Imported }
  /** Account was found that holds tokens of a registered contract for the address. */
  | { type: 'TokenAccountFound'; data: Found };
export type AddressCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'Remove'; data: Remove }
  | { type: 'Import'; data: Import }
  | { type: 'NoteAccount'; data: Found };
/** `accounts`: assets whose account was found; absent for none. */
type Address = { heldBy: string | null; imports: readonly string[]; counted: number; accounts?: readonly string[] };

const imported = (held: Address, run: readonly Imported[]): Address => ({
  ...held,
  imports: [...held.imports, ...run.map(({ asset }) => assetKey(asset))],
  counted: held.counted + run.filter(({ counted }) => counted).length,
});
const noted = (held: Address, run: readonly Found[]): Address => ({
  ...held,
  accounts: [...(held.accounts ?? []), ...run.map(({ asset }) => assetKey(asset))],
});
const newlyHeldBy = (walletId: string | null): Address => ({ heldBy: walletId, imports: [], counted: 0 });

/** One stream per address of an organization and variant: the first wallet to append holds it, on any process. */
export const address: Decider<AddressCommand, AddressEvent, Address> = {
  stream: 'address',
  initial: newlyHeldBy(null),
  decide: {
    Register: ({ heldBy }, data) => {
      if (heldBy === data.walletId) return [];
      if (heldBy !== null) return fail('ALREADY_EXISTS', `${data.address} is held by another wallet`);
      return [{ type: 'AddressRegistered', data }];
    },
    Remove: ({ heldBy, counted }, data) => {
      if (heldBy !== data.walletId) return [];
      return [{ type: 'AddressRemoved', data: { ...data, ...(counted > 0 && { imports: counted }) } }];
    },
    Import: ({ heldBy, imports }, data) => {
      if (heldBy !== data.walletId) return fail('NOT_FOUND', `the wallet does not hold ${data.address}`);
      if (imports.includes(assetKey(data.asset))) return [];
      return [{ type: 'AssetImported', data: { ...data, counted: true } }];
    },
    // The address may have been removed while its account was looked for.
    NoteAccount: ({ heldBy, accounts = [] }, data) =>
      heldBy !== data.walletId || accounts.includes(assetKey(data.asset)) ? [] : [{ type: 'TokenAccountFound', data }],
  },
  evolve: {
    AddressRegistered: (_, { walletId }) => newlyHeldBy(walletId),
    AddressRemoved: () => newlyHeldBy(null),
    AssetImported: (held, data) => imported(held, [data]),
    TokenAccountFound: (held, data) => noted(held, [data]),
  },
  evolveRun: { AssetImported: imported, TokenAccountFound: noted },
};
