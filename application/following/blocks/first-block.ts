import type { Chain } from '../../ports/chain.js';

/**
 * Returns the lowest height at which the nodes have a block that is not older than `time` (Unix seconds); `last` + 1 if
 * there is no such block up to `last`.
 */
export const firstBlockSince = async (chain: Pick<Chain, 'headerAt'>, last: number, time: number): Promise<number> => {
  const isSince = async (number: number) => ((await chain.headerAt(number))?.time ?? Number.NEGATIVE_INFINITY) >= time;
  let [since, before] = [last + 1, last];
  // Steps double, because the wanted block is usually near `last`.
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
