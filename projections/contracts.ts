import type { TokenStandard } from '../domain/asset.js';
import type { ContractEvent } from '../domain/contract.js';
import { ownScope, type Projection } from './define.js';

export type ContractDocument = {
  contract: string;
  standard: TokenStandard;
  description: { name?: string; symbol?: string; decimals?: number };
  /** One that was removed stays, since its past transfers are still described. */
  registered: 'yes' | 'no';
  position: number;
};

export const contracts: Projection<ContractEvent, ContractDocument> = {
  name: 'contracts',
  version: 1,
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
    ContractRemoved: (doc) => doc && { ...doc, registered: 'no' },
  },
};
