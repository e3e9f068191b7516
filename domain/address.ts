import type { Decider } from './decider.js';
import { refuse } from './failure.js';

type Registered = { address: string; walletId: string; importAsset?: true };
type Removed = { address: string; walletId: string };

export type AddressEvent = { type: 'AddressRegistered'; data: Registered } | { type: 'AddressRemoved'; data: Removed };
export type AddressCommand = { type: 'Register'; data: Registered } | { type: 'Remove'; data: Removed };
type Address = { heldBy: string | null };

/** One stream per address of an organization and variant: whoever appends first holds it, on any node. */
export const address: Decider<AddressCommand, AddressEvent, Address> = {
  stream: 'address',
  initial: { heldBy: null },
  decide: {
    Register: ({ heldBy }, data) => {
      if (heldBy === data.walletId) return [];
      if (heldBy !== null) return refuse('ALREADY_EXISTS', `${data.address} is held by another wallet`);
      return [{ type: 'AddressRegistered', data }];
    },
    Remove: ({ heldBy }, data) => (heldBy === data.walletId ? [{ type: 'AddressRemoved', data }] : []),
  },
  evolve: {
    AddressRegistered: (_, { walletId }) => ({ heldBy: walletId }),
    AddressRemoved: () => ({ heldBy: null }),
  },
};
