import { findVariant, type Variant } from '../../domain/variant.js';
import type { Chain } from '../ports/chain.js';
import type { ConfiguredChains } from '../ports/chains.js';
import type { ServiceProcess } from './service-process.js';

/** Makes a process of one name for every chain that needs it. */
export const onEachChain = (
  { chains }: { readonly chains: ConfiguredChains },
  name: string,
  create: (chain: Chain, variant: Variant) => ServiceProcess['run'] | null,
): readonly ServiceProcess[] =>
  [...chains].flatMap(([tag, { chain }]) => {
    const run = create(chain, findVariant(tag) as Variant);
    return run ? [{ role: 'follower', name, chain: tag, run }] : [];
  });
