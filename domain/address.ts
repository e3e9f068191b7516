import { assetKey, type ImportedToken } from './asset.js';
import type { Decider } from './decider.js';
import { refuse } from './failure.js';

/** Bound of an address in the form that is stored, in UTF-16 code units: what is longer is no address on any chain. */
export const longestAddress = 200;

type Registered = { address: string; walletId: string; importAsset?: true };
type Removed = { address: string; walletId: string };
/** `account`: where the chain keeps the address's tokens of that kind, when that is an address of its own. */
type Imported = { address: string; walletId: string; asset: ImportedToken; account?: string };

export type AddressEvent =
  | { type: 'AddressRegistered'; data: Registered }
  | { type: 'AddressRemoved'; data: Removed }
  /** The address's tokens of that kind are followed too, from now on and until the address is removed. */
  | { type: 'AssetImported'; data: Imported };
export type AddressCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'Remove'; data: Removed }
  | { type: 'Import'; data: Imported };
type Address = { heldBy: string | null; imports: readonly string[] };

/** One stream per address of an organization and variant: whoever appends first holds it, on any node. */
export const address: Decider<AddressCommand, AddressEvent, Address> = {
  stream: 'address',
  initial: { heldBy: null, imports: [] },
  decide: {
    Register: ({ heldBy }, data) => {
      if (heldBy === data.walletId) return [];
      if (heldBy !== null) return refuse('ALREADY_EXISTS', `${data.address} is held by another wallet`);
      return [{ type: 'AddressRegistered', data }];
    },
    Remove: ({ heldBy }, data) => (heldBy === data.walletId ? [{ type: 'AddressRemoved', data }] : []),
    Import: ({ heldBy, imports }, data) => {
      if (heldBy !== data.walletId) return refuse('NOT_FOUND', `the wallet does not hold ${data.address}`);
      return imports.includes(assetKey(data.asset)) ? [] : [{ type: 'AssetImported', data }];
    },
  },
  evolve: {
    AddressRegistered: (_, { walletId }) => ({ heldBy: walletId, imports: [] }),
    AddressRemoved: () => ({ heldBy: null, imports: [] }),
    AssetImported: (held, { asset }) => ({ ...held, imports: [...held.imports, assetKey(asset)] }),
  },
};
