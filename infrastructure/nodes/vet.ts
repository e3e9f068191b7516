import type { Health } from './health.js';
import { NodeFault } from './node-fault.js';

/**
 * Puts aside nodes of another chain, whose answers look right. The first node that names its chain decides which chain
 * is expected; a node that cannot name it, as without the first block, is believed.
 */
export const createVet = () => {
  let chain: string | null = null;
  return async (health: Health, identify: () => Promise<string | null>): Promise<void> => {
    if (health.isVetted()) return;
    const found = await identify();
    chain ??= found;
    if (found !== null && found !== chain) {
      const fault = new NodeFault('wrong', 'serves another chain than the nodes beside it');
      health.rest(fault);
      throw fault;
    }
    health.vouch();
  };
};
