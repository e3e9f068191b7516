import type { ConfiguredChains } from '../../application/chains.js';
import type { Chain } from '../../application/ports/chain.js';
import type { Node } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { chains as chainVariants, type Variant } from '../../domain/variant.js';
import { type Config, networks } from '../config.js';
import { httpNode } from '../node/http-node.js';
import type { DevelopmentChain } from './development/evm.js';
import { evmChain } from './evm/connector.js';

/** The chains that are followed and asked, and the nodes behind the gateway's addresses. */
export type Connections = {
  readonly chains: ConfiguredChains;
  readonly nodes: ReadonlyMap<string, Node>;
  close(): Promise<void>;
};

type Followed = { readonly chain: Chain; readonly isNew: boolean };

const isEvm = ({ addressForm }: Variant) => addressForm === 'evm';
const isFollowed = ({ can }: Variant) => can.includes('token-contracts');
/** Gateway addresses lead to chains that speak JSON-RPC of the EVM's kind. */
const hasGateway = ({ surface, can }: Variant) => surface === 'query' || can.includes('managed-transactions');

/** What each chain is reached at: its nodes, or the development chain where nothing is set. */
const urlsOf = ({ chains }: Config, { tag }: Variant, development: DevelopmentChain | null) => {
  const setting = chains.find((one) => one.tag === tag)?.urls ?? 'off';
  if (typeof setting === 'object') return { urls: setting, isDevelopment: false };
  if (setting === 'off' || !development) return null;
  return { urls: [development.wsUrl, development.url], isDevelopment: true };
};

const isUnset = ({ chains }: Config, { tag }: Variant) =>
  chains.some((setting) => setting.tag === tag && setting.urls === 'unset');

const startDevelopment = async (config: Config, log: Log) => {
  if (config.production || !chainVariants.some((variant) => isEvm(variant) && isUnset(config, variant))) return null;
  const { startDevelopmentEvm } = await import('./development/evm.js');
  return startDevelopmentEvm({ blockMs: config.developmentBlockMs, log });
};

const httpOnly = (urls: readonly string[]) =>
  urls.map((url) => url.replace(/^evm\+/, '')).filter((url) => url.startsWith('http'));

const nodesOf = (config: Config, variant: Variant, development: DevelopmentChain | null): [string, Node][] => {
  if (!hasGateway(variant)) return [];
  const reached = urlsOf(config, variant, development);
  return networks.flatMap((network): [string, Node][] => {
    const address = `${variant.segment}/${network}`;
    const own = config.gateways[address];
    const urls = httpOnly(own ?? reached?.urls ?? []);
    return urls.length > 0 ? [[address, httpNode(urls, !own && reached?.isDevelopment === true)]] : [];
  });
};

/** The development chain is only started where it is asked for: it lives and dies with that process. */
export const connectChains = async (config: Config, log: Log, withDevelopment: boolean): Promise<Connections> => {
  const development = withDevelopment ? await startDevelopment(config, log) : null;
  const chains: [Variant['tag'], Followed][] = [];
  for (const variant of chainVariants.filter(isFollowed)) {
    const reached = urlsOf(config, variant, development);
    if (reached) chains.push([variant.tag, { chain: await evmChain(reached.urls, log), isNew: reached.isDevelopment }]);
  }
  const nodes = chainVariants.flatMap((variant) => nodesOf(config, variant, development));
  return {
    chains: new Map(chains),
    nodes: new Map(nodes),
    close: async () => {
      const open = [...chains.map(([, { chain }]) => chain), ...nodes.map(([, node]) => node)];
      await Promise.all(open.map((one) => one.close()));
      await development?.close();
    },
  };
};
