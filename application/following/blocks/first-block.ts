import type { Chain } from '../../ports/chain.js';

/** Returns the lowest height up to `last` whose block is not older than a time (Unix seconds) and known to the nodes. */
export const firstBlockSince = async (chain: Pick<Chain, 'headerAt'>, last: number, time: number): Promise<number> => {
  const isSince = async (number: number) => ((await chain.headerAt(number))?.time ?? Number.NEGATIVE_INFINITY) >= time;
  let [since, before] = [last + 1, last];
  // Steps double, because the block is usually near.
  for (let step = 1; before >= 0 && (await isSince(before)); step *= 2) {
    since = before;
    before = before === 0 ? -1 : Math.max(0, before - step);
  }
  while (since - before > 1) {
    const middle = Math.floor((since + before) / 2);
    if (await isSince(middle)) since = middle;
    else before = middle;
  }
  return since;
};
