import type { Health } from './health.js';
import { NodeFault } from './node-fault.js';

/**
 * Creates a check that marks nodes of another chain unhealthy, because their answers would look valid. The first node
 * that identifies its chain decides which chain is expected. A node that cannot identify its chain, for example because
 * it lacks the first block, is trusted.
 */
export const createVet = () => {
  let chain: string | null = null;
  return async (health: Health, identify: () => Promise<string | null>): Promise<void> => {
    if (health.isVetted()) return;
    const found = await identify();
    chain ??= found;
    if (found !== null && found !== chain) {
      const fault = new NodeFault('wrong', 'serves another chain than the other nodes');
      health.rest(fault);
      throw fault;
    }
    health.vouch();
  };
};
