import { configuredNames } from '../../application/gateway/configured-methods.js';
import type { ConfiguredChain, ConfiguredChains } from '../../application/ports/chains.js';
import type { FinalAnswers } from '../../application/ports/gateway/final-answers.js';
import type { AnnouncedHeads, Node } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { Failure } from '../../domain/failure.js';
import { chains as chainVariants, type Family, networks, type Variant } from '../../domain/variant.js';
import { BadSetting, type Config } from '../config.js';
import { nodePool } from '../gateway-nodes/pool.js';
import { type DevelopmentControls, developmentNode } from './development/development-node.js';
import { type Connector, families, familyOf } from './families.js';

/** Followed and queried chains, and the nodes behind each gateway address. */
export type Connections = {
  readonly chains: ConfiguredChains;
  readonly nodes: ReadonlyMap<string, Node>;
  close(): Promise<void>;
};

type Development = NonNullable<Awaited<ReturnType<Connector['startDevelopment']>>>;
/** Running development chains by family. */
type Developments = ReadonlyMap<Family, Development>;
type Endpoints = { readonly urls: readonly string[]; readonly isDevelopment: boolean };

const isFollowed = ({ surface }: Variant) => surface === 'wallet';
const hasGateway = ({ can }: Variant) => can.includes('gateway');

const settingOf = ({ chains }: Config, { tag }: Variant) => chains.find((one) => one.tag === tag)?.urls ?? 'off';

/** Returns the age in seconds from which the newest block of a variant raises an alarm; undefined for never. */
export const oldHeadSecondsOf = ({ chains }: Config, { tag }: Variant): number | undefined => {
  const { urls, oldHeadSeconds } = chains.find((one) => one.tag === tag) ?? {};
  if (typeof urls !== 'object') return undefined;
  return (oldHeadSeconds ?? families[familyOf(urls[0] ?? '')].oldHeadSeconds) || undefined;
};

/**
 * Returns the configured node URLs of a variant. Without a setting, returns those of its development chain, or null if
 * that does not run.
 */
const endpointsOf = (config: Config, variant: Variant, developments: Developments): Endpoints | null => {
  const setting = settingOf(config, variant);
  if (typeof setting === 'object') return { urls: setting, isDevelopment: false };
  const development = setting === 'unset' ? developments.get(variant.family) : undefined;
  return development ? { urls: development.urls, isDevelopment: true } : null;
};

/** Returns the family named by the scheme of the URLs, which may differ from the variant's default. */
const familyIn = ({ tag }: Variant, urls: readonly string[]): Family => {
  const [family, ...others] = new Set(urls.map(familyOf));
  if (!family || others.length > 0)
    throw new BadSetting(
      `CHAIN_${tag}_URL must list nodes of one chain family, found ${[family, ...others].join(' and ')}`,
    );
  return family;
};

/** Converts a failure to connect into a bad setting: no node has been queried yet, so only a URL can be wrong. */
const asBadSetting =
  ({ tag }: Variant) =>
  (error: unknown): never => {
    throw error instanceof Failure ? new BadSetting(`CHAIN_${tag}_URL is invalid: ${error.message}`) : error;
  };

const startDevelopments = async (config: Config, log: Log): Promise<Developments> => {
  const started = new Map<Family, Development>();
  if (config.production) return started;
  const wanted = chainVariants.filter((variant) => settingOf(config, variant) === 'unset');
  for (const name of new Set(wanted.map(({ family }) => family))) {
    const development = await families[name].startDevelopment({ blockMs: config.developmentBlockMs, log });
    if (development) started.set(name, development);
  }
  return started;
};

/** Returns the controls of the development chains other than the EVM, by variant tag. */
const otherControls = (config: Config, developments: Developments): ReadonlyMap<string, DevelopmentControls> =>
  new Map(
    chainVariants.flatMap((variant): [string, DevelopmentControls][] => {
      const controls = developments.get(variant.family)?.controls;
      return controls && settingOf(config, variant) === 'unset' ? [[variant.tag, controls]] : [];
    }),
  );

/** Dependencies shared by all node pools. Heads and answers are also shared with other processes. */
type Shared = {
  readonly log: Log;
  readonly announcedHeads: AnnouncedHeads | null;
  readonly answers: FinalAnswers | undefined;
};

/** Names heads by address and chain, because processes may notice at different times that nodes switched their chain. */
const channelAt = (address: string, announcedHeads: AnnouncedHeads) => ({
  announce: (chain: string, height: number) => announcedHeads.announce(`${address}/${chain}`, height),
  listen: (chain: string, listener: (height: number) => void) => announcedHeads.listen(`${address}/${chain}`, listener),
});

/** Creates one node pool for each gateway address of a variant. */
const nodesOf = (
  config: Config,
  variant: Variant,
  developments: Developments,
  { log, announcedHeads, answers }: Shared,
): [string, Node][] => {
  if (!hasGateway(variant)) return [];
  const reached = endpointsOf(config, variant, developments);
  return networks.flatMap((network): [string, Node][] => {
    const address = `${variant.segment}/${network}`;
    const own = config.gateways[address];
    const urls = own ?? reached?.urls ?? [];
    if (urls.length === 0) return [];
    const isDevelopment = !own && reached?.isDevelopment === true;
    const extraMethods = configuredNames(config.gatewayMethods[address] ?? []);
    // A development chain exists only in its process, so its data is useless to other processes.
    const sharedOptions = isDevelopment
      ? {}
      : {
          ...(announcedHeads && { channel: channelAt(address, announcedHeads) }),
          ...(answers && { shared: { answers } }),
        };
    const pool = nodePool(urls, log, isDevelopment, { ...config.gatewayTerms[address], ...sharedOptions });
    const node = { ...pool, extraMethods };
    return [[address, isDevelopment ? developmentNode(node, otherControls(config, developments)) : node]];
  });
};

const connectFollowed = async (config: Config, log: Log, developments: Developments) => {
  const chains: [Variant['tag'], ConfiguredChain][] = [];
  for (const variant of chainVariants.filter(isFollowed)) {
    const reached = endpointsOf(config, variant, developments);
    if (!reached) continue;
    const { urls, isDevelopment: isNew } = reached;
    const family = familyIn(variant, urls);
    const archive = config.chains.find(({ tag }) => tag === variant.tag)?.archive;
    const chain = await families[family].connect(urls, log, archive).catch(asBadSetting(variant));
    const oldHeadSeconds = isNew ? undefined : oldHeadSecondsOf(config, variant);
    chains.push([variant.tag, { chain, family, isNew, oldHeadSeconds }]);
  }
  return chains;
};

/**
 * Connects all configured chains. Development chains are started only if `withDevelopment`, because they end with the
 * process.
 */
export const connectChains = async (
  config: Config,
  log: Log,
  withDevelopment: boolean,
  { announcedHeads = null, answers }: Partial<Omit<Shared, 'log'>> = {},
): Promise<Connections> => {
  const developments = withDevelopment ? await startDevelopments(config, log) : new Map<Family, Development>();
  const chains = await connectFollowed(config, log, developments);
  const shared = { log, announcedHeads, answers };
  const nodes = chainVariants.flatMap((variant) => nodesOf(config, variant, developments, shared));
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
