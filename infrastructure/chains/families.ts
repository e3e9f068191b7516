import type { Chain } from '../../application/ports/chain.js';
import type { Log } from '../../application/ports/system.js';
import { chainFamilies, type Family } from '../../domain/variant.js';
import type { DevelopmentControls } from './development/development-node.js';

type Development = {
  readonly urls: readonly string[];
  /** Controls of the chain; absent on the EVM, whose node executes the `dev_` methods itself. */
  readonly controls?: DevelopmentControls;
  close(): Promise<void>;
};

/** Connector of one chain family: checks node URLs, connects to nodes, and starts a development chain. */
export type Connector = {
  /** URL schemes of nodes, without the family prefix. */
  readonly schemes: readonly string[];
  /** Default age in seconds from which a node's newest block raises an alarm, far above the normal block time. */
  readonly oldHeadSeconds: number;
  /** True if archive nodes may be configured for blocks that the other nodes have pruned. */
  readonly hasArchives?: boolean;
  /** Explains why a URL with a valid scheme cannot be the URL of a node; null if it can. */
  urlFault?(url: URL): string | null;
  connect(urls: readonly string[], log: Log, archive?: readonly string[]): Promise<Chain>;
  /** Starts a development chain; null if it cannot run on this machine. */
  startDevelopment(options: { readonly blockMs: number; readonly log: Log }): Promise<Development | null>;
};

const evm: Connector = {
  schemes: ['http', 'https', 'ws', 'wss'],
  oldHeadSeconds: 300,
  connect: async (urls, log) => (await import('./evm/connector.js')).evmChain(urls, log),
  startDevelopment: async (options) => {
    const started = await (await import('./development/evm/chain.js')).startDevelopmentEvm(options);
    return started && { urls: [started.wsUrl, started.url], close: started.close };
  },
};

const sui: Connector = {
  schemes: ['grpc', 'grpcs'],
  oldHeadSeconds: 60,
  hasArchives: true,
  urlFault: ({ username, password, pathname, hash }) =>
    username || password || hash || pathname.length > 1
      ? 'must have only a host, a port and a query: gRPC has no path and no user info. Pass an API key as ?x-token=… or ?authorization=…'
      : null,
  connect: async (urls, log, archive = []) =>
    (await import('./sui/connector.js')).suiChain(urls, log, { archiveUrls: archive }),
  startDevelopment: async (options) => (await import('./development/sui/chain.js')).startDevelopmentSui(options),
};

const ton: Connector = {
  schemes: ['http', 'https', 'v2+http', 'v2+https'],
  oldHeadSeconds: 120,
  connect: async (urls, log) => (await import('./ton/connector.js')).tonChain(urls, log),
  startDevelopment: async (options) => (await import('./development/ton/chain.js')).startDevelopmentTon(options),
};

/** Connectors by family; a new chain family needs a new row. The code of a family is loaded at its first use. */
export const families: Readonly<Record<Family, Connector>> = { evm, sui, ton };

/** Family of URLs without a family prefix. */
const defaultFamily: Family = 'evm';

/** Returns the family of a node URL: both `evm+https://…` and `https://…` are evm. */
export const familyOf = (url: string): Family =>
  chainFamilies.find((family) => url.startsWith(`${family}+`)) ?? defaultFamily;

/** Returns the URL schemes accepted for nodes of the given families. */
export const schemesOf = (some: readonly Family[]): readonly string[] =>
  some.flatMap((family) => {
    const { schemes } = families[family];
    const named = schemes.map((scheme) => `${family}+${scheme}`);
    return family === defaultFamily ? [...schemes, ...named] : named;
  });
