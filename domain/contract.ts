import type { TokenStandard } from './asset.js';
import type { Decider } from './decider.js';
import { refuse } from './failure.js';

type Description = { readonly name?: string; readonly symbol?: string; readonly decimals?: number };
type Registered = { contract: string; standard: TokenStandard; description: Description };
type Removed = { contract: string };

export type ContractEvent =
  | { type: 'ContractRegistered'; data: Registered }
  | { type: 'ContractRemoved'; data: Removed };
type ContractCommand = { type: 'Register'; data: Registered } | { type: 'Remove'; data: Removed };
type Contract = { standard: TokenStandard | null };

/** A token contract that an organization wants followed. */
export const contract: Decider<ContractCommand, ContractEvent, Contract> = {
  stream: 'contract',
  initial: { standard: null },
  decide: {
    Register: ({ standard }, data) => {
      if (standard === null) return [{ type: 'ContractRegistered', data }];
      if (standard === data.standard) return [];
      return refuse('ALREADY_EXISTS', `${data.contract} is registered with another contract_type`);
    },
    Remove: ({ standard }, data) => (standard === null ? [] : [{ type: 'ContractRemoved', data }]),
  },
  evolve: {
    ContractRegistered: (_, { standard }) => ({ standard }),
    ContractRemoved: () => ({ standard: null }),
  },
};
