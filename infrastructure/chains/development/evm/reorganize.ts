import { randomBytes } from 'node:crypto';
import type { Block } from './blocks.js';
import type { Evm } from './edr.js';
import type { Parts } from './parts.js';
import type { Transaction } from './pool.js';

/** Returns the seconds by which the EVM's clock is ahead of the system clock. */
const clockOffset = async (evm: Evm) => Number(await evm<string>('evm_increaseTime', 0));

const blocksFrom = async (evm: Evm, first: number, last: number) => {
  const blocks: Block<Transaction>[] = [];
  for (let height = first; height <= last; height++)
    blocks.push(await evm('eth_getBlockByNumber', `0x${height.toString(16)}`, true));
  return blocks;
};

/**
 * Mines a block with the given time and transactions in place of a removed one. Transactions that the chain no longer
 * accepts are dropped.
 */
const mineInstead = async ({ evm, blocks, pool }: Parts, timestamp: string, transactions: readonly Transaction[]) => {
  for (const transaction of transactions) await pool.putBack(transaction);
  // Changes the random value of the block, because an empty block would otherwise have the hash of the removed empty
  // block with the same time.
  await evm('hardhat_setPrevRandao', `0x${randomBytes(32).toString('hex')}`);
  return blocks.mine(Number(timestamp));
};

/**
 * Replaces the `depth` latest blocks with as many new blocks. The new blocks contain the same transactions, or none if
 * `drop` is true.
 */
export const reorganize = async (parts: Parts, depth: number, drop: boolean) => {
  const { evm, blocks, pool, subscriptions } = parts;
  const height = await blocks.height();
  const replaced = await blocksFrom(evm, height - depth + 1, height);
  const waiting = await pool.waiting();
  const offset = await clockOffset(evm);
  const notifyRemoved = await subscriptions.retract(height - depth + 1);

  await blocks.rewind(height - depth);
  // The revert also restored the old pool, which contains the transactions of the removed blocks, so the pool is
  // cleared.
  await pool.clear();
  notifyRemoved(height - depth);
  const mined: Block[] = [];
  for (const { timestamp, transactions } of replaced)
    mined.push(await mineInstead(parts, timestamp, drop ? [] : transactions));
  for (const transaction of waiting) await pool.putBack(transaction);
  // The revert and the fixed block times have shifted the EVM's clock, so its offset is restored.
  await evm('evm_increaseTime', Math.max(0, offset - (await clockOffset(evm))));
  return { mined, replaced };
};
