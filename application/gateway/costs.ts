import { costOf } from '../../domain/rate-limit.js';
import { blocksIn } from './log-range.js';
import { methods } from './methods.js';
import { filter } from './params.js';

/** Default cost, in units, of a method that the gateway does not define. */
const defaultCost = 1;

const priced = new Map(
  methods.flatMap((method) => {
    const isRanged = method.over === 'both' && method.params[0]?.kind === filter;
    const price = { cost: method.cost, isRanged };
    return [method.name, method.nodeName].map((name) => [name, price] as const);
  }),
);

/**
 * Returns the cost of a call in units: the cost of its method, plus 1 for each hundred blocks that a log search covers
 * beyond the first hundred. `seen` returns the height of the last known head. `otherCost` applies to methods that the
 * gateway does not define.
 */
export const unitsOf = (
  method: string,
  params: readonly unknown[],
  seen: () => number,
  otherCost = defaultCost,
): number => {
  const price = priced.get(method);
  if (!price) return otherCost;
  return price.isRanged ? price.cost + costOf(blocksIn(params[0], seen())) - 1 : price.cost;
};
