import type { RegisteredStandard } from '../asset.js';
import type { Decider } from '../decider.js';
import { fail } from '../failure.js';
import type { TokenDescription } from '../token-description.js';

type Named = {
  /** Address of the token contract, jetton master contract or coin type, in its canonical stored form. */
  contract: string;
};
type Registered = Named & {
  /** Token standard of the contract; `token` on chains with a single token standard. */
  standard: RegisteredStandard;
  /** Metadata of the token, as its contract states it. */
  description: TokenDescription;
};
type Failed = Named & {
  /** Reason why balances of the contract cannot be read. */
  reason: string;
};

export type ContractEvent =
  | { type: 'ContractRegistered'; data: Registered }
  | { type: 'ContractRemoved'; data: Named }
  /**
   * Balances of the contract cannot be read for the organization's addresses, so the stored balances may be out of
   * date.
   */
  | { type: 'ContractBalancesFailed'; data: Failed }
  | { type: 'ContractBalancesRecovered'; data: Named };
export type ContractReport = { type: 'ReportFailure'; data: Failed } | { type: 'ReportRecovery'; data: Named };
type ContractCommand = { type: 'Register'; data: Registered } | { type: 'Remove'; data: Named } | ContractReport;
type Contract = { standard: RegisteredStandard | null; isFailing: boolean };

/** Token contract that an organization registered to be followed. */
export const contract: Decider<ContractCommand, ContractEvent, Contract> = {
  stream: 'contract',
  initial: { standard: null, isFailing: false },
  decide: {
    Register: ({ standard }, data) => {
      if (standard === null) return [{ type: 'ContractRegistered', data }];
      if (standard === data.standard) return [];
      return fail('ALREADY_EXISTS', `Contract ${data.contract} is registered with another contract_type`);
    },
    Remove: ({ standard }, data) => (standard === null ? [] : [{ type: 'ContractRemoved', data }]),
    ReportFailure: ({ standard, isFailing }, data) =>
      standard === null || isFailing ? [] : [{ type: 'ContractBalancesFailed', data }],
    ReportRecovery: ({ isFailing }, data) => (isFailing ? [{ type: 'ContractBalancesRecovered', data }] : []),
  },
  evolve: {
    ContractRegistered: (_, { standard }) => ({ standard, isFailing: false }),
    ContractRemoved: () => ({ standard: null, isFailing: false }),
    ContractBalancesFailed: (past) => ({ ...past, isFailing: true }),
    ContractBalancesRecovered: (past) => ({ ...past, isFailing: false }),
  },
};
