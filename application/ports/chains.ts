import { fail } from '../../domain/failure.js';
import type { Family, Variant } from '../../domain/variant.js';
import type { Chain, Sending } from './chain.js';

export type ConfiguredChain = {
  readonly chain: Chain;
  /** True for a development chain, which is followed from its first block. */
  readonly isNew: boolean;
  /** Chain family of the nodes; the family of the variant when absent. */
  readonly family?: Family;
  /** Age in seconds from which the newest block raises an alarm; absent where blocks are made only on request. */
  readonly oldHeadSeconds?: number | undefined;
};

/** Configured chains by the tag of their variant. */
export type ConfiguredChains = ReadonlyMap<Variant['tag'], ConfiguredChain>;

export type Chains = {
  of(variant: Variant): Chain;
  /** Returns the chain of a variant; undefined when the chain is not configured. */
  find(variant: Variant): Chain | undefined;
  sending(variant: Variant): Sending;
  /** Returns the family of the nodes, which determines the address format. */
  familyOf(variant: Variant): Family;
};

export const failChainOff = ({ tag }: Variant): never =>
  fail('UNAVAILABLE', `chain ${tag} is off: set CHAIN_${tag}_URL to the URL of a node`);

export const createChains = (configured: ConfiguredChains): Chains => {
  const find = ({ tag }: Variant) => configured.get(tag)?.chain;
  const of = (variant: Variant) => find(variant) ?? failChainOff(variant);
  return {
    of,
    familyOf: ({ tag, family }) => configured.get(tag)?.family ?? family,
    find,
    sending: (variant) =>
      of(variant).sending ?? fail('UNAVAILABLE', `Chain ${variant.tag} does not support sending transactions.`),
  };
};

/** Addresses at which other processes of this machine reach the development chains of this process. */
export type DevelopmentAddresses = readonly {
  readonly family: Family;
  readonly urls: readonly string[];
  readonly controls?: { readonly url: string; readonly hasTokens: boolean };
}[];

/**
 * Development chains that a process uses: none, chains that the process starts itself (`start`), or the chains of
 * another process at the given addresses.
 */
export type WantedDevelopments = 'none' | 'start' | DevelopmentAddresses;
