import type { Chain } from '../../application/ports/chain.js';
import type { Log } from '../../application/ports/system.js';
import type { DevelopmentControls } from './development/development-node.js';

type Development = {
  readonly urls: readonly string[];
  /** Where the gateway's own node does not have them. */
  readonly controls?: DevelopmentControls;
  close(): Promise<void>;
};

/** What there is for one kind of chain. */
export type Family = {
  connect(urls: readonly string[], log: Log): Promise<Chain>;
  /** Null where it cannot run on this machine. */
  develop(options: { readonly blockMs: number; readonly log: Log }): Promise<Development | null>;
};

const evm: Family = {
  connect: async (urls, log) => (await import('./evm/connector.js')).evmChain(urls, log),
  develop: async (options) => {
    const started = await (await import('./development/evm.js')).startDevelopmentEvm(options);
    return started && { urls: [started.wsUrl, started.url], close: started.close };
  },
};

const sui: Family = {
  connect: async (urls, log) => (await import('./sui/connector.js')).suiChain(urls, log),
  develop: async (options) => (await import('./development/sui/chain.js')).startDevelopmentSui(options),
};

const ton: Family = {
  connect: async (urls, log) => (await import('./ton/connector.js')).tonChain(urls, log),
  develop: async (options) => (await import('./development/ton/chain.js')).startDevelopmentTon(options),
};

/** By what the schemes of its URLs begin with; a new kind of chain is a new row. Each is loaded when it is used. */
export const families: Readonly<Record<string, Family>> = { evm, sui, ton };

const usual = 'evm';
/** `evm+https://…` is of the family evm, and so is a URL that names none. */
export const familyOf = (url: string) => /^([a-z0-9]+)\+/.exec(url)?.[1] ?? usual;
