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

/** Chains that are followed and queried, and the nodes behind the gateway's addresses. */
export type Connections = {
  readonly chains: ConfiguredChains;
  readonly nodes: ReadonlyMap<string, Node>;
  close(): Promise<void>;
};

type Development = NonNullable<Awaited<ReturnType<Connector['develop']>>>;
/** Running development chains, by family. */
type Developments = ReadonlyMap<Family, Development>;
type Reached = { readonly urls: readonly string[]; readonly isDevelopment: boolean };

const isFollowed = ({ surface }: Variant) => surface === 'wallet';
const hasGateway = ({ can }: Variant) => can.includes('gateway');

const settingOf = ({ chains }: Config, { tag }: Variant) => chains.find((one) => one.tag === tag)?.urls ?? 'off';

/** Returns the age from which on the newest block of a variant's nodes is an alarm; undefined for never. */
export const oldHeadSecondsOf = ({ chains }: Config, { tag }: Variant): number | undefined => {
  const { urls, oldHeadSeconds } = chains.find((one) => one.tag === tag) ?? {};
  if (typeof urls !== 'object') return undefined;
  return (oldHeadSeconds ?? families[familyOf(urls[0] ?? '')].oldHeadSeconds) || undefined;
};

/**
 * Returns the URLs of a variant's nodes, or those of the development chain if nothing is set; null if there are none.
 */
const reach = (config: Config, variant: Variant, developments: Developments): Reached | null => {
  const setting = settingOf(config, variant);
  if (typeof setting === 'object') return { urls: setting, isDevelopment: false };
  const development = setting === 'unset' ? developments.get(variant.family) : undefined;
  return development ? { urls: development.urls, isDevelopment: true } : null;
};

/** Reads the family from the scheme of the URLs, whatever the variant's own is. */
const familyIn = ({ tag }: Variant, urls: readonly string[]): Family => {
  const [family, ...others] = new Set(urls.map(familyOf));
  if (!family || others.length > 0)
    throw new BadSetting(`CHAIN_${tag}_URL must hold nodes of one kind, not of ${[family, ...others].join(' and ')}`);
  return family;
};

/** Turns a refusal while connecting into a bad setting, because no node was asked yet and only a URL can be wrong. */
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

/** Returns the controls of the development chains other than the EVM, by the tags of their variants. */
const controlsBeside = (config: Config, developments: Developments): ReadonlyMap<string, DevelopmentControls> =>
  new Map(
    chainVariants.flatMap((variant): [string, DevelopmentControls][] => {
      const controls = developments.get(variant.family)?.controls;
      return controls && settingOf(config, variant) === 'unset' ? [[variant.tag, controls]] : [];
    }),
  );

/** Parts that the pools of nodes share, with each other and with other processes. */
type Shared = {
  readonly log: Log;
  readonly announcedHeads: AnnouncedHeads | null;
  readonly answers: FinalAnswers | undefined;
};

const channelAt = (address: string, announcedHeads: AnnouncedHeads) => ({
  tell: (height: number) => announcedHeads.tell(address, height),
  hear: (listener: (height: number) => void) => announcedHeads.hear(address, listener),
});

/** Creates one pool of nodes for each gateway address. */
const nodesOf = (
  config: Config,
  variant: Variant,
  developments: Developments,
  { log, announcedHeads, answers }: Shared,
): [string, Node][] => {
  if (!hasGateway(variant)) return [];
  const reached = reach(config, variant, developments);
  return networks.flatMap((network): [string, Node][] => {
    const address = `${variant.segment}/${network}`;
    const own = config.gateways[address];
    const urls = own ?? reached?.urls ?? [];
    if (urls.length === 0) return [];
    const isDevelopment = !own && reached?.isDevelopment === true;
    const extraMethods = configuredNames(config.gatewayMethods[address] ?? []);
    // A development chain lives and dies with its process, so nothing of it is of use to another.
    const between = isDevelopment
      ? {}
      : {
          ...(announcedHeads && { channel: channelAt(address, announcedHeads) }),
          ...(answers && { shared: { answers } }),
        };
    const pool = nodePool(urls, log, isDevelopment, { ...config.gatewayTerms[address], ...between });
    const node = { ...pool, extraMethods };
    return [[address, isDevelopment ? developmentNode(node, controlsBeside(config, developments)) : node]];
  });
};

const connectFollowed = async (config: Config, log: Log, developments: Developments) => {
  const chains: [Variant['tag'], ConfiguredChain][] = [];
  for (const variant of chainVariants.filter(isFollowed)) {
    const reached = reach(config, variant, developments);
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
 * Connects all configured chains. Development chains are started only on request, because they live and die with the
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
