import type { RegisteredStandard } from '../../domain/asset.js';

/** Index of followed token contracts, with the standard that each organization registered. */
export const createFollowedContracts = () => {
  const standards = new Map<string, Map<string, RegisteredStandard>>();
  return {
    follow: (organizationId: string, contract: string, standard: RegisteredStandard) => {
      const followers = standards.get(contract) ?? new Map<string, RegisteredStandard>();
      standards.set(contract, followers.set(organizationId, standard));
    },
    unfollow: (organizationId: string, contract: string) => {
      const followers = standards.get(contract);
      followers?.delete(organizationId);
      if (followers?.size === 0) standards.delete(contract);
    },
    isFollowed: (contract: string) => standards.has(contract),
    standardOf: (organizationId: string, contract: string) => standards.get(contract)?.get(organizationId),
  };
};
