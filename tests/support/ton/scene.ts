import type { Interest } from '../../../application/ports/chain.js';
import { tonChain } from '../../../infrastructure/chains/ton/connector.js';
import { startTonIndex } from '../chains/ton-index.js';
import { silent } from '../silent.js';

export const interestInAll: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };
/** Time limits in ms that are longer than any stall of a process. */
export const longTimeouts = { deadlineMs: 60_000, timeoutMs: 20_000 };
export const inHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

/**
 * Returns functions that start indexes and connectors, which are closed after each test of the calling suite.
 */
export const createTonScene = () => {
  const open: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    open.push(one);
    return one;
  };
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  return {
    keep,
    index: async (...given: Parameters<typeof startTonIndex>) => keep(await startTonIndex(...given)),
    connect: async (...urls: string[]) => keep(await tonChain(urls, silent, longTimeouts)),
  };
};
