import { type DevelopmentChain, startDevelopmentEvm } from '../../infrastructure/chains/development/evm/chain.js';
import type { Engine } from '../support/engines/engines.js';
import { silent } from '../support/silent.js';
import { startFailingNode } from './failing-node.js';
import { startProcesses } from './processes.js';
import { createTally } from './tally.js';

/** Number of blocks that are mined after a token was deployed, so that no reorganization reaches its deployment. */
export const bedrock = 8;

/** Creates a function that asks the chain directly, not through the failing nodes. */
const askOf =
  (chain: DevelopmentChain) =>
  <T>(method: string, ...params: unknown[]) =>
    chain.request(method, params) as Promise<T>;

const settings = { CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true', CHAINFOLD_LOG_LEVEL: 'error' };

/**
 * Starts a development chain, two proxies to it that can be made to fail, and a process for every role. Returns null if
 * EDR, the engine of the development chain, is not available on this machine.
 */
export const openWorld = async (engine: Engine) => {
  const chain = await startDevelopmentEvm({ blockMs: 0, log: silent });
  if (!chain) return null;
  const ask = askOf(chain);
  const { contract_address: token } = await ask<{ contract_address: string }>('dev_deployToken', { type: 'ERC-20' });
  await ask('dev_mine', bedrock);
  const nodes = await Promise.all([startFailingNode(chain.url), startFailingNode(chain.url)]);
  const [first, second] = nodes;
  const processes = await startProcesses(engine, {
    ...settings,
    CHAIN_C_URL: `${first.wsUrl},${second.url}`,
    GATEWAY_C_MAINNET_URLS: `${first.url},${second.url}`,
  });
  return {
    ask,
    token,
    nodes,
    processes,
    tally: createTally(),
    close: async () => {
      await processes.stop();
      await Promise.all(nodes.map((node) => node.close()));
      await chain.close();
    },
  };
};
export type World = NonNullable<Awaited<ReturnType<typeof openWorld>>>;
