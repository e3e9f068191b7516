import type { Chain } from '../../application/ports/chain.js';
import type { Log } from '../../application/ports/system.js';
import { chainFamilies, type Family } from '../../domain/variant.js';
import type { DevelopmentControls } from './development/development-node.js';

type Development = {
  readonly urls: readonly string[];
  /** Where the gateway's own node does not have them. */
  readonly controls?: DevelopmentControls;
  close(): Promise<void>;
};

/** What there is for one kind of chain. */
export type Connector = {
  /** Schemes of the URLs that its nodes are reached at, without the family's name. */
  readonly schemes: readonly string[];
  connect(urls: readonly string[], log: Log): Promise<Chain>;
  /** Null where it cannot run on this machine. */
  develop(options: { readonly blockMs: number; readonly log: Log }): Promise<Development | null>;
};

const evm: Connector = {
  schemes: ['http', 'https', 'ws', 'wss'],
  connect: async (urls, log) => (await import('./evm/connector.js')).evmChain(urls, log),
  develop: async (options) => {
    const started = await (await import('./development/evm.js')).startDevelopmentEvm(options);
    return started && { urls: [started.wsUrl, started.url], close: started.close };
  },
};

const sui: Connector = {
  schemes: ['grpc', 'grpcs'],
  connect: async (urls, log) => (await import('./sui/connector.js')).suiChain(urls, log),
  develop: async (options) => (await import('./development/sui/chain.js')).startDevelopmentSui(options),
};

const ton: Connector = {
  schemes: ['http', 'https'],
  connect: async (urls, log) => (await import('./ton/connector.js')).tonChain(urls, log),
  develop: async (options) => (await import('./development/ton/chain.js')).startDevelopmentTon(options),
};

/** A new kind of chain is a new row. Each is loaded when it is used. */
export const families: Readonly<Record<Family, Connector>> = { evm, sui, ton };

/** URLs that name no family are of this one. */
const usual: Family = 'evm';

/** `evm+https://…` is of the family evm, and so is `https://…`. */
export const familyOf = (url: string): Family => chainFamilies.find((family) => url.startsWith(`${family}+`)) ?? usual;

/** What the URLs of some families' nodes may begin with. */
export const schemesOf = (some: readonly Family[]): readonly string[] =>
  some.flatMap((family) => {
    const { schemes } = families[family];
    const named = schemes.map((scheme) => `${family}+${scheme}`);
    return family === usual ? [...schemes, ...named] : named;
  });
