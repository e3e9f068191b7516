import { invalid } from '../rpc-error.js';
import type { Evm } from './edr.js';

/** Block as the EVM returns it. Heights, times and fees are hex. */
export type Block<T = string> = {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
  readonly baseFeePerGas: string;
  readonly transactions: readonly T[];
};

/** Maximum depth of a reorganization in blocks. */
export const maxReorgDepth = 256;

export type Blocks = ReturnType<typeof createBlocks>;

/** Creates the block producer of the chain, which can also revert the latest blocks. */
export const createBlocks = (evm: Evm, publish: (block: Block) => Promise<void>) => {
  /** Snapshots by height, each taken before the block above that height was mined. */
  const snapshots = new Map<number, string>();
  const forget = (when: (height: number, snapshot: string) => boolean) => {
    for (const [height, snapshot] of snapshots) if (when(height, snapshot)) snapshots.delete(height);
  };

  const height = async () => Number(await evm<string>('eth_blockNumber'));
  const mine = async (...timestamp: readonly unknown[]): Promise<Block> => {
    const below = await height();
    snapshots.set(below, await evm<string>('evm_snapshot'));
    await evm('evm_mine', ...timestamp);
    forget((height) => height <= below - maxReorgDepth);
    const block = await evm<Block>('eth_getBlockByNumber', 'latest', false);
    await publish(block);
    return block;
  };

  return {
    height,
    mine,
    /**
     * Mines `count` blocks. Blocks that are too deep for a later reorganization are mined in one call and not published
     * to subscribers.
     */
    mineMany: async (count: number, secondsApart: number) => {
      if (count > maxReorgDepth) await evm('hardhat_mine', `0x${(count - maxReorgDepth).toString(16)}`, secondsApart);
      for (let left = Math.min(count, maxReorgDepth); left > 0; left--) {
        const { timestamp } = await evm<Block>('eth_getBlockByNumber', 'latest', false);
        await (left === count ? mine() : mine(Number(timestamp) + secondsApart));
      }
    },
    rewind: async (to: number) => {
      const reverted = snapshots.has(to) && (await evm<boolean>('evm_revert', snapshots.get(to)));
      if (!reverted) return invalid(`blocks above ${to} can no longer be replaced`);
      forget((height) => height >= to);
    },
    /** Reverts the chain to a snapshot that a caller took, which invalidates all later snapshots. */
    revert: async (params: readonly unknown[]) => {
      const reverted = await evm<boolean>('evm_revert', ...params);
      if (reverted) forget((_, snapshot) => BigInt(snapshot) > BigInt(params[0] as string));
      return reverted;
    },
  };
};
