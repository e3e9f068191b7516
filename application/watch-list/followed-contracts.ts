import type { TokenStandard } from '../../domain/asset.js';

/** Which organizations follow which token contracts, and under which standard. */
export const createFollowedContracts = () => {
  const standards = new Map<string, Map<string, TokenStandard>>();
  return {
    follow: (organizationId: string, contract: string, standard: TokenStandard) => {
      const followers = standards.get(contract) ?? new Map<string, TokenStandard>();
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
