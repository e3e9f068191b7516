import type { Chain } from '../../application/ports/chain.js';
import type { ConfiguredChains } from '../../application/ports/chains.js';
import type { Node } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { Failure } from '../../domain/failure.js';
import { chains as chainVariants, type Family, type Variant } from '../../domain/variant.js';
import { BadSetting, type Config, networks } from '../config.js';
import { nodePool } from '../gateway-nodes/pool.js';
import { type DevelopmentControls, developmentNode } from './development/development-node.js';
import { type Connector, families, familyOf } from './families.js';

/** The chains that are followed and asked, and the nodes behind the gateway's addresses. */
export type Connections = {
  readonly chains: ConfiguredChains;
  readonly nodes: ReadonlyMap<string, Node>;
  close(): Promise<void>;
};

type Followed = { readonly chain: Chain; readonly isNew: boolean };
type Development = NonNullable<Awaited<ReturnType<Connector['develop']>>>;
/** The development chains that run, by family. */
type Developments = ReadonlyMap<Family, Development>;
type Reached = { readonly urls: readonly string[]; readonly isDevelopment: boolean };

const isFollowed = ({ surface }: Variant) => surface === 'wallet';
const hasGateway = ({ can }: Variant) => can.includes('gateway');

const settingOf = ({ chains }: Config, { tag }: Variant) => chains.find((one) => one.tag === tag)?.urls ?? 'off';

/** What each chain is reached at: its nodes, or the development chain where nothing is set. */
const reach = (config: Config, variant: Variant, developments: Developments): Reached | null => {
  const setting = settingOf(config, variant);
  if (typeof setting === 'object') return { urls: setting, isDevelopment: false };
  const development = setting === 'unset' ? developments.get(variant.family) : undefined;
  return development ? { urls: development.urls, isDevelopment: true } : null;
};

/** The scheme decides, whatever the variant. */
const connectorFor = ({ tag }: Variant, urls: readonly string[]): Connector['connect'] => {
  const [family, ...others] = new Set(urls.map(familyOf));
  if (!family || others.length > 0)
    throw new BadSetting(`CHAIN_${tag}_URL must hold nodes of one kind, not of ${[family, ...others].join(' and ')}`);
  return families[family].connect;
};

/** Before anything is asked of a node only its address can be wrong. */
const asBadSetting =
  ({ tag }: Variant) =>
  (error: unknown): never => {
    throw error instanceof Failure ? new BadSetting(`CHAIN_${tag}_URL cannot be used: ${error.message}`) : error;
  };

const startDevelopments = async (config: Config, log: Log): Promise<Developments> => {
  const started = new Map<Family, Development>();
  if (config.production) return started;
  const wanted = chainVariants.filter((variant) => settingOf(config, variant) === 'unset');
  for (const name of new Set(wanted.map(({ family }) => family))) {
    const development = await families[name].develop({ blockMs: config.developmentBlockMs, log });
    if (development) started.set(name, development);
  }
  return started;
};

/** The controls of the development chains that are no EVM, by the tags of their variants. */
const controlsBeside = (config: Config, developments: Developments): ReadonlyMap<string, DevelopmentControls> =>
  new Map(
    chainVariants.flatMap((variant): [string, DevelopmentControls][] => {
      const controls = developments.get(variant.family)?.controls;
      return controls && settingOf(config, variant) === 'unset' ? [[variant.tag, controls]] : [];
    }),
  );

/** One pool for each gateway address. */
const nodesOf = (config: Config, variant: Variant, developments: Developments, log: Log): [string, Node][] => {
  if (!hasGateway(variant)) return [];
  const reached = reach(config, variant, developments);
  return networks.flatMap((network): [string, Node][] => {
    const address = `${variant.segment}/${network}`;
    const own = config.gateways[address];
    const urls = own ?? reached?.urls ?? [];
    if (urls.length === 0) return [];
    const isDevelopment = !own && reached?.isDevelopment === true;
    const node = nodePool(urls, log, isDevelopment);
    return [[address, isDevelopment ? developmentNode(node, controlsBeside(config, developments)) : node]];
  });
};

const connectFollowed = async (config: Config, log: Log, developments: Developments) => {
  const chains: [Variant['tag'], Followed][] = [];
  for (const variant of chainVariants.filter(isFollowed)) {
    const reached = reach(config, variant, developments);
    if (!reached) continue;
    const chain = connectorFor(variant, reached.urls)(reached.urls, log);
    chains.push([variant.tag, { chain: await chain.catch(asBadSetting(variant)), isNew: reached.isDevelopment }]);
  }
  return chains;
};

/** Development chains are only started where they are asked for: they live and die with that process. */
export const connectChains = async (config: Config, log: Log, withDevelopment: boolean): Promise<Connections> => {
  const developments = withDevelopment ? await startDevelopments(config, log) : new Map<Family, Development>();
  const chains = await connectFollowed(config, log, developments);
  const nodes = chainVariants.flatMap((variant) => nodesOf(config, variant, developments, log));
  return {
    chains: new Map(chains),
    nodes: new Map(nodes),
    close: async () => {
      const open = [...chains.map(([, { chain }]) => chain), ...nodes.map(([, node]) => node)];
      await Promise.all(open.map((one) => one.close()));
      for (const development of developments.values()) await development.close();
    },
  };
};
