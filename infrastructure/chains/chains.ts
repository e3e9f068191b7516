import { configuredNames } from '../../application/gateway/configured-methods.js';
import type {
  ConfiguredChain,
  ConfiguredChains,
  DevelopmentAddresses,
  WantedDevelopments,
} from '../../application/ports/chains.js';
import type { FinalAnswers } from '../../application/ports/gateway/final-answers.js';
import type { AnnouncedHeads, Node } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { Failure } from '../../domain/failure.js';
import { chains as chainVariants, type Family, networks, type Variant } from '../../domain/variant.js';
import type { Config } from '../config.js';
import { nodePool } from '../gateway-nodes/pool.js';
import { BadSetting } from '../settings/bad-setting.js';
import { type DevelopmentControls, developmentNode } from './development/development-node.js';
import {
  attachDevelopments,
  type Developments,
  shareDevelopments,
  startDevelopments,
} from './development/developments.js';
import { families, familyOf } from './families.js';

/** Chains that the service follows for transfers, and the node pool of each gateway address (`segment/network`). */
export type Connections = {
  readonly chains: ConfiguredChains;
  readonly nodes: ReadonlyMap<string, Node>;
  /**
   * Lets other processes on this machine use the development chains of this process. Returns the addresses of these
   * chains.
   */
  share(): Promise<DevelopmentAddresses>;
  close(): Promise<void>;
};

type Endpoints = { readonly urls: readonly string[]; readonly isDevelopment: boolean };

const isFollowed = ({ surface }: Variant) => surface === 'wallet';
const hasGateway = ({ can }: Variant) => can.includes('gateway');

const settingOf = ({ chains }: Config, { tag }: Variant) => chains.find((one) => one.tag === tag)?.urls ?? 'off';

/**
 * Returns the age in seconds at which the newest block of a variant's chain counts as too old; undefined if the age is
 * not checked.
 */
export const oldHeadSecondsOf = ({ chains }: Config, { tag }: Variant): number | undefined => {
  const { urls, oldHeadSeconds } = chains.find((one) => one.tag === tag) ?? {};
  if (typeof urls !== 'object') return undefined;
  return (oldHeadSeconds ?? families[familyOf(urls[0] ?? '')].oldHeadSeconds) || undefined;
};

/**
 * Returns the configured node URLs of a variant or, if none are set, the URLs of its development chain. Null if the
 * chain is off or its development chain does not run.
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

/**
 * Creates an error handler that reports a failure to connect as a bad setting: no node has been queried yet, so only a
 * URL can be wrong.
 */
const asBadSetting =
  ({ tag }: Variant) =>
  (error: unknown): never => {
    throw error instanceof Failure ? new BadSetting(`CHAIN_${tag}_URL is invalid: ${error.message}`) : error;
  };

/**
 * Returns the development chains that this process uses: none, the development chains of another process, or its own,
 * which it starts.
 */
const developmentsFor = async (config: Config, log: Log, wanted: WantedDevelopments): Promise<Developments> => {
  if (wanted === 'none' || config.production) return new Map();
  if (wanted !== 'start') return attachDevelopments(wanted);
  const unset = chainVariants.filter((variant) => settingOf(config, variant) === 'unset');
  return startDevelopments(new Set(unset.map(({ family }) => family)), { blockMs: config.developmentBlockMs, log });
};

/** Returns the controls of the development chains other than the development EVM, keyed by variant tag. */
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

/**
 * Returns the channel for the announced heads of a gateway address. The channel keeps the heads of different chains
 * apart: processes may notice at different times that the nodes switched to another chain.
 */
const channelAt = (address: string, announcedHeads: AnnouncedHeads) => ({
  announce: (chain: string, height: number) => announcedHeads.announce(`${address}/${chain}`, height),
  listen: (chain: string, listener: (height: number) => void) => announcedHeads.listen(`${address}/${chain}`, listener),
});

type Gateway = { readonly address: string; readonly urls: readonly string[]; readonly isDevelopment: boolean };

/** Lists the gateway addresses of all variants that have nodes. */
const gatewaysOf = (config: Config, developments: Developments): readonly Gateway[] =>
  chainVariants.filter(hasGateway).flatMap((variant) => {
    const reached = endpointsOf(config, variant, developments);
    return networks.flatMap((network): Gateway[] => {
      const address = `${variant.segment}/${network}`;
      const own = config.gateways[address];
      const urls = own ?? reached?.urls ?? [];
      return urls.length === 0 ? [] : [{ address, urls, isDevelopment: !own && reached?.isDevelopment === true }];
    });
  });

/** Creates one node pool for each gateway address. */
const connectGateways = (
  config: Config,
  developments: Developments,
  { log, announcedHeads, answers }: Shared,
): [string, Node][] => {
  const gateways = gatewaysOf(config, developments);
  const cacheBytes = Math.floor(config.memory.gatewayAnswers / gateways.length);
  return gateways.map(({ address, urls, isDevelopment }) => {
    const extraMethods = configuredNames(config.gatewayMethods[address] ?? []);
    // A development chain ends with the process that runs it, so its heads and answers are not shared.
    const sharedOptions = isDevelopment
      ? {}
      : {
          ...(announcedHeads && { channel: channelAt(address, announcedHeads) }),
          ...(answers && { shared: { answers } }),
        };
    const terms = config.gatewayTerms[address];
    const pool = nodePool(urls, log, isDevelopment, { ...terms, ...sharedOptions, cacheBytes });
    const node = { ...pool, extraMethods };
    return [address, isDevelopment ? developmentNode(node, otherControls(config, developments)) : node];
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

/** Connects all configured chains, and uses development chains for chains without a configuration. */
export const connectChains = async (
  config: Config,
  log: Log,
  wanted: WantedDevelopments,
  { announcedHeads = null, answers }: Partial<Omit<Shared, 'log'>> = {},
): Promise<Connections> => {
  const developments = await developmentsFor(config, log, wanted);
  const chains = await connectFollowed(config, log, developments);
  const shared = { log, announcedHeads, answers };
  const nodes = connectGateways(config, developments, shared);
  let opened: ReturnType<typeof shareDevelopments> | undefined;
  return {
    chains: new Map(chains),
    nodes: new Map(nodes),
    share: async () => {
      opened ??= shareDevelopments(developments);
      return (await opened).addresses;
    },
    close: async () => {
      const open = [...chains.map(([, { chain }]) => chain), ...nodes.map(([, node]) => node)];
      await Promise.all(open.map((one) => one.close()));
      await (await opened)?.close();
      for (const development of developments.values()) await development.close();
    },
  };
};
