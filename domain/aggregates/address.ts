import { assetKey, type ImportedToken } from '../asset.js';
import type { Decider } from '../decider.js';
import { fail } from '../failure.js';
import type { OfWallet } from './wallet.js';

/** Maximum length of a stored address on any chain, in UTF-16 code units. */
export const maxAddressLength = 200;

type OfAddress = OfWallet & {
  /** Address in its canonical stored form. */
  address: string;
};
type Registered = OfAddress & {
  /** Present if the request asked to read the balance of the address immediately (`import_asset`). */
  importAsset?: true;
};
type Remove = OfAddress & {
  /**
   * Height of the chain at the removal, if the follower had not reached that height: deposits up to it are still
   * recorded. Absent if the follower had reached that height.
   */
  head?: number;
};
type Removed = Remove & {
  /**
   * Number of token imports that ended with the removal of the address and had counted against the quota `imports`;
   * absent if there were none.
   */
  imports?: number;
};
type Import = OfAddress & {
  /** Token that is followed at the address. */
  asset: ImportedToken;
  /** Address that holds the tokens, such as a jetton wallet; absent if the address itself holds the tokens. */
  account?: string;
};
type Imported = Import & {
  /** Present if the import counts against the quota `imports`; absent in imports stored before that quota existed. */
  counted?: true;
};
type Found = OfAddress & {
  /** Token that the account holds. */
  asset: ImportedToken;
  /** Address that holds the tokens, such as a jetton wallet. */
  account: string;
};

export type AddressEvent =
  | { type: 'AddressRegistered'; data: Registered }
  | { type: 'AddressRemoved'; data: Removed }
  /** The token is followed at the address from this event until the address is removed. */
  | { type: 'AssetImported'; data: Imported }
  /** The token account of the address for a registered contract was found. */
  | { type: 'TokenAccountFound'; data: Found };
export type AddressCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'Remove'; data: Remove }
  | { type: 'Import'; data: Import }
  | { type: 'NoteAccount'; data: Found };
/**
 * `heldBy` is the id of the wallet that holds the address; null if no wallet holds it. `imports` has the asset keys of
 * imported tokens. `accounts` has the asset keys of tokens whose token account was found; absent if there are none.
 * `counted` is the number of imports that count against the quota.
 */
type Address = { heldBy: string | null; imports: readonly string[]; counted: number; accounts?: readonly string[] };

const keyOf = ({ asset }: { asset: ImportedToken }): string => assetKey(asset);

const imported = (held: Address, run: readonly Imported[]): Address => ({
  ...held,
  imports: [...held.imports, ...run.map(keyOf)],
  counted: held.counted + run.filter(({ counted }) => counted).length,
});
const noted = (held: Address, run: readonly Found[]): Address => ({
  ...held,
  accounts: [...(held.accounts ?? []), ...run.map(keyOf)],
});
const newlyHeldBy = (walletId: string | null): Address => ({ heldBy: walletId, imports: [], counted: 0 });

/**
 * One stream per organization, variant and address: the first wallet to append holds the address, even if several
 * processes append concurrently.
 */
export const address: Decider<AddressCommand, AddressEvent, Address> = {
  stream: 'address',
  initial: newlyHeldBy(null),
  decide: {
    Register: ({ heldBy }, data) => {
      if (heldBy === data.walletId) return [];
      if (heldBy !== null) return fail('ALREADY_EXISTS', `Address ${data.address} is held by another wallet`);
      return [{ type: 'AddressRegistered', data }];
    },
    Remove: ({ heldBy, counted }, data) => {
      if (heldBy !== data.walletId) return [];
      return [{ type: 'AddressRemoved', data: { ...data, ...(counted > 0 && { imports: counted }) } }];
    },
    Import: ({ heldBy, imports }, data) => {
      if (heldBy !== data.walletId)
        return fail('NOT_FOUND', `Address not found in wallet ${data.walletId}: ${data.address}`);
      if (imports.includes(assetKey(data.asset))) return [];
      return [{ type: 'AssetImported', data: { ...data, counted: true } }];
    },
    // The account is ignored if the wallet no longer holds the address, which may have been removed while its token
    // account was looked up.
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
