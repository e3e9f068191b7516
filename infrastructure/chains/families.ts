import type { Chain } from '../../application/ports/chain.js';
import type { Log } from '../../application/ports/system.js';
import { chainFamilies, type Family } from '../../domain/variant.js';
import type { DevelopmentControls } from './development/development-node.js';

type Development = {
  readonly urls: readonly string[];
  /** Controls of a chain that the gateway's own node cannot control. */
  readonly controls?: DevelopmentControls;
  close(): Promise<void>;
};

/** Ways to reach one family of chains. */
export type Connector = {
  /** Schemes of node URLs, without the family's name. */
  readonly schemes: readonly string[];
  /** Age at which the newest block of a node is old: far more than the usual time between two blocks. */
  readonly oldHeadSeconds: number;
  /** True where other nodes may be asked for old blocks that the nodes of the chain have pruned. */
  readonly hasArchives?: boolean;
  /** Explains why no node can be reached at a URL with one of the schemes; null if one can. */
  faultOf?(url: URL): string | null;
  connect(urls: readonly string[], log: Log, archive?: readonly string[]): Promise<Chain>;
  /** Starts a development chain; null if it cannot run on this machine. */
  develop(options: { readonly blockMs: number; readonly log: Log }): Promise<Development | null>;
};

const evm: Connector = {
  schemes: ['http', 'https', 'ws', 'wss'],
  oldHeadSeconds: 300,
  connect: async (urls, log) => (await import('./evm/connector.js')).evmChain(urls, log),
  develop: async (options) => {
    const started = await (await import('./development/evm/chain.js')).startDevelopmentEvm(options);
    return started && { urls: [started.wsUrl, started.url], close: started.close };
  },
};

const sui: Connector = {
  schemes: ['grpc', 'grpcs'],
  oldHeadSeconds: 60,
  hasArchives: true,
  faultOf: ({ username, password, pathname, hash }) =>
    username || password || hash || pathname.length > 1
      ? 'must have only a host, a port and a query for nodes of Sui: gRPC knows no path and no user info, and a key is given as ?x-token=… or ?authorization=…'
      : null,
  connect: async (urls, log, archive = []) =>
    (await import('./sui/connector.js')).suiChain(urls, log, { archiveUrls: archive }),
  develop: async (options) => (await import('./development/sui/chain.js')).startDevelopmentSui(options),
};

const ton: Connector = {
  schemes: ['http', 'https', 'v2+http', 'v2+https'],
  oldHeadSeconds: 120,
  connect: async (urls, log) => (await import('./ton/connector.js')).tonChain(urls, log),
  develop: async (options) => (await import('./development/ton/chain.js')).startDevelopmentTon(options),
};

/** Connectors by family: a new kind of chain is a new row. Each is loaded when first used. */
export const families: Readonly<Record<Family, Connector>> = { evm, sui, ton };

/** Family of URLs whose scheme names none. */
const defaultFamily: Family = 'evm';

/** Reads the family from the scheme: both `evm+https://…` and `https://…` are of the family evm. */
export const familyOf = (url: string): Family =>
  chainFamilies.find((family) => url.startsWith(`${family}+`)) ?? defaultFamily;

/** Lists the URL schemes that nodes of the given families may have. */
export const schemesOf = (some: readonly Family[]): readonly string[] =>
  some.flatMap((family) => {
    const { schemes } = families[family];
    const named = schemes.map((scheme) => `${family}+${scheme}`);
    return family === defaultFamily ? [...schemes, ...named] : named;
  });
