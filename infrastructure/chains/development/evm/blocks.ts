import { invalid } from '../rpc-error.js';
import type { Evm } from './edr.js';

/** A block as the EVM returns it; heights, times and fees are hex. */
export type Block<T = string> = {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
  readonly baseFeePerGas: string;
  readonly transactions: readonly T[];
};

/** Largest number of blocks that can be replaced. */
export const deepest = 256;

export type Blocks = ReturnType<typeof createBlocks>;

/** Makes all blocks of the chain, and can take back the latest ones. */
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
    forget((height) => height <= below - deepest);
    const block = await evm<Block>('eth_getBlockByNumber', 'latest', false);
    await publish(block);
    return block;
  };

  return {
    height,
    mine,
    /** Mines many blocks. Those too deep to be ever replaced are made in one call and not published. */
    mineMany: async (count: number, secondsApart: number) => {
      if (count > deepest) await evm('hardhat_mine', `0x${(count - deepest).toString(16)}`, secondsApart);
      for (let left = Math.min(count, deepest); left > 0; left--) {
        const { timestamp } = await evm<Block>('eth_getBlockByNumber', 'latest', false);
        await (left === count ? mine() : mine(Number(timestamp) + secondsApart));
      }
    },
    rewind: async (to: number) => {
      const reverted = snapshots.has(to) && (await evm<boolean>('evm_revert', snapshots.get(to)));
      if (!reverted) return invalid(`the blocks above ${to} cannot be replaced any more`);
      forget((height) => height >= to);
    },
    /** Reverts to a snapshot that a caller took, which invalidates all later ones. */
    revert: async (params: readonly unknown[]) => {
      const reverted = await evm<boolean>('evm_revert', ...params);
      if (reverted) forget((_, snapshot) => BigInt(snapshot) > BigInt(params[0] as string));
      return reverted;
    },
  };
};
