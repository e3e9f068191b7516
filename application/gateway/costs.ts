import { costOf } from '../../domain/rate-limit.js';
import { blocksIn } from './log-range.js';
import { methods } from './methods.js';
import { filter } from './params.js';

/** Cost of methods that are in no table, such as those that are refused. */
const defaultCost = 1;

const priced = new Map(
  methods.flatMap((method) => {
    const isRanged = method.over === 'both' && method.params[0]?.kind === filter;
    const price = { cost: method.cost, isRanged };
    return [method.name, method.nodeName].map((name) => [name, price] as const);
  }),
);

/**
 * Returns the units that a call costs: those of its method, and 1 more for each further hundred blocks that it searches.
 * `seen` returns the head as last seen.
 */
export const unitsOf = (method: string, params: readonly unknown[], seen: () => number): number => {
  const price = priced.get(method);
  if (!price) return defaultCost;
  return price.isRanged ? price.cost + costOf(blocksIn(params[0], seen())) - 1 : price.cost;
};
