import { systemOwner } from '../../projections/define.js';
import { openDeliveries } from '../../projections/deliveries.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/**
 * Returns for how many seconds the oldest open delivery has been due; 0 when none is due. A delivery that waits for its
 * next retry or for a disabled webhook is not due.
 */
export type OldestDelivery = () => Promise<number>;

export const createOldestDelivery =
  ({ readModels, system }: { readonly readModels: ReadModels; readonly system: System }): OldestDelivery =>
  async () => {
    const query = { index: 'byNextTry', equal: ['no'], limit: 1, oldestFirst: true };
    const { documents } = await readModels.page(openDeliveries, systemOwner, query);
    return Math.max(0, system.now() - (documents[0]?.next_at ?? system.now())) / 1000;
  };
