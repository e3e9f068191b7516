import { findVariant, type Variant } from '../../domain/variant.js';
import type { Chain } from '../ports/chain.js';
import type { ConfiguredChains } from '../ports/chains.js';
import type { ChainProcess, ServiceProcess } from './service-process.js';

/** Creates one process per chain; `create` returns null for a chain that does not need the process. */
export const onEachChain = (
  { chains }: { readonly chains: ConfiguredChains },
  name: ChainProcess,
  create: (chain: Chain, variant: Variant) => ServiceProcess['run'] | null,
): readonly ServiceProcess[] =>
  [...chains].flatMap(([tag, { chain }]) => {
    const run = create(chain, findVariant(tag) as Variant);
    return run ? [{ role: 'follower', name, chain: tag, run }] : [];
  });
