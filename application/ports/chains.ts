import { refuse } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import type { Chain, Sending } from './chain.js';

/** The chains that are configured, by variant. */
export type ConfiguredChains = ReadonlyMap<
  Variant['tag'],
  {
    readonly chain: Chain;
    /** It began with this service, so nothing on it came before. */
    readonly isNew: boolean;
  }
>;

export type Chains = { of(variant: Variant): Chain; sending(variant: Variant): Sending };

export const createChains = (configured: ConfiguredChains): Chains => {
  const of = ({ tag }: Variant) =>
    configured.get(tag)?.chain ?? refuse('UNAVAILABLE', `chain ${tag} is off: CHAIN_${tag}_URL is not set`);
  return {
    of,
    sending: (variant) => of(variant).sending ?? refuse('UNAVAILABLE', `nothing can be sent on chain ${variant.tag}`),
  };
};
