import { touches } from '../../projections/statements/touches.js';
import { sortableTime, transfers } from '../../projections/transfers.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Chain, Header } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import type { ReadModels } from '../ports/read-models.js';

/** Last block of a chain at or before a time. A period begins after one such block and ends with another. */
export type CutOff = {
  /** Requested time in Unix seconds. */
  readonly time: number;
  /** Height of the block; the height of the first block if the time is before the chain began. */
  readonly number: number;
  /** Hash of the chain's first block; undefined while nothing of the chain is known. */
  readonly chain: string | undefined;
  /**
   * Present if the block was found without a node. The block is then the last block with activity of the wallet up to
   * the time.
   */
  readonly isRecorded?: true;
};

/** Finds the cut-off of a time for the chain of a wallet. Asks no node if `asksNodes` is false. */
export type CutOffs = (context: Context, walletId: string, time: number, asksNodes: boolean) => Promise<CutOff>;

const cachedBlocks = 10_000;

/**
 * Finds the last block at or before a time. Alternates between guesses by the average block interval and halving, so
 * that a chain with a steady interval takes a few requests and any other chain a logarithmic number.
 */
const lastBlockAt = async (chain: Chain, time: number, first: Header, head: Header): Promise<Header> => {
  if (head.time <= time) return head;
  if (first.time > time) return first;
  let [low, high] = [first, head];
  for (let turn = 0; high.number - low.number > 1; turn++) {
    const share = turn % 2 === 0 ? (time - low.time) / (high.time - low.time) : 0.5;
    const guess = low.number + Math.round(share * (high.number - low.number));
    const found = await chain.headerAt(Math.min(Math.max(guess, low.number + 1), high.number - 1));
    if (!found) throw new Error(`No node has block ${guess}, although the head is ${head.number}.`);
    if (found.time <= time) low = found;
    else high = found;
  }
  return low;
};

/**
 * Creates a function that finds cut-offs by asking the nodes. Without a node, the cut-off is the wallet's last block
 * with activity up to the requested time, because later blocks up to that time did not change the wallet's balances.
 */
export const createCutOffs = (ports: {
  readonly chains: Pick<Chains, 'find'>;
  readonly readModels: ReadModels;
}): CutOffs => {
  const { chains, readModels } = ports;
  const known = createBoundedCache<string, number>(cachedBlocks);

  const onChain = async (chain: Chain, context: Context, time: number): Promise<CutOff> => {
    const { variant } = context;
    const first = await chain.genesis();
    const key = `${variant.tag} ${first.hash} ${time}`;
    const before = known.get(key);
    if (before !== undefined) return { time, number: before, chain: first.hash };
    const head = await chain.head();
    const { number } = await lastBlockAt(chain, time, first, head);
    if (number + variant.maxConfirmations < head.number) known.set(key, number);
    return { time, number, chain: first.hash };
  };
  const recorded = async (context: Context, walletId: string, time: number): Promise<CutOff> => {
    const query = { index: 'byWallet', equal: [walletId], limit: 1 };
    const newest = async (after?: [string, string]) => {
      const [moved, touched] = await Promise.all([
        readModels.page(transfers, scopeFor(context), { ...query, after }),
        readModels.page(touches, scopeFor(context), { ...query, after }),
      ]);
      return [...moved.documents, ...touched.documents].toSorted((a, b) => (a.moment < b.moment ? 1 : -1))[0];
    };
    const [last, found] = [await newest(), await newest([sortableTime(time + 1), ''])];
    const isSameChain = found?.chain === last?.chain;
    return { time, number: isSameChain ? (found?.block_number ?? 0) : 0, chain: last?.chain, isRecorded: true };
  };
  return async (context, walletId, time, asksNodes) => {
    const chain = asksNodes ? chains.find(context.variant) : undefined;
    if (!chain) return recorded(context, walletId, time);
    return onChain(chain, context, time).catch(() => recorded(context, walletId, time));
  };
};
