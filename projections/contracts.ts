import type { ContractEvent } from '../domain/aggregates/contract.js';
import type { RegisteredStandard } from '../domain/asset.js';
import { ownScope, type Projection } from './define.js';

export type ContractDocument = {
  contract: string;
  standard: RegisteredStandard;
  description: { name?: string; symbol?: string; decimals?: number };
  /**
   * `yes` while the contract is registered, `no` after its removal. The document is kept, because lists of past
   * transfers show its description.
   */
  registered: 'yes' | 'no';
  /** Reason why balances of the contract cannot be read, and since when; absent while they can be read. */
  balance_problem?: { reason: string; since: string };
  position: number;
};

const withoutProblem = ({ balance_problem, ...doc }: ContractDocument): ContractDocument => doc;

export const contracts: Projection<ContractEvent, ContractDocument> = {
  name: 'contracts',
  version: 2,
  indexes: { byRegistered: { equal: ['registered'], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.contract,
  on: {
    ContractRegistered: (_, { contract, standard, description }, { position }) => ({
      contract,
      standard,
      description,
      registered: 'yes',
      position,
    }),
    ContractRemoved: (doc) => doc && { ...withoutProblem(doc), registered: 'no' },
    ContractBalancesFailed: (doc, { reason }, { occurredAt }) =>
      doc && { ...doc, balance_problem: { reason, since: occurredAt } },
    ContractBalancesRecovered: (doc) => doc && withoutProblem(doc),
  },
};
