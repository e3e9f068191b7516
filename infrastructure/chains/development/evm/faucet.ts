import { randomBytes } from 'node:crypto';
import { Wallet } from 'ethers/wallet';
import { RpcError, rpcCode } from '../rpc-error.js';
import type { Block } from './blocks.js';
import { chainId, type Evm } from './edr.js';
import type { Parts } from './parts.js';

export type Receipt = {
  readonly transactionHash: string;
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly contractAddress: string | null;
  readonly logs: readonly { readonly topics: readonly string[] }[];
};

/** Transaction to send, with all fields in hex. A transaction without `to` creates a contract. */
type Order = { readonly to?: string; readonly value?: string; readonly data?: string };

export type Faucet = ReturnType<typeof createFaucet>;

/**
 * Creates a random key for the faucet. The faucet is funded in the genesis block, so each chain has a different genesis
 * hash.
 */
export const newFaucetKey = () => new Wallet(`0x${randomBytes(32).toString('hex')}`);

/**
 * Factor by which the maximum fee exceeds the base fee, because the base fee may rise while the transaction waits in a
 * full pool.
 */
const feeHeadroom = 10n;
const tip = 1_000_000_000n;

const price = async (evm: Evm) => {
  const { baseFeePerGas } = await evm<Block>('eth_getBlockByNumber', 'latest', false);
  return { maxPriorityFeePerGas: tip, maxFeePerGas: BigInt(baseFeePerGas) * feeHeadroom + tip };
};

/** Creates a faucet, which sends from its own account and mines until the transaction is in a block. */
export const createFaucet = ({ evm, blocks, pool }: Parts, wallet: Wallet) => {
  const receiptOf = async (hash: string) => {
    for (;;) {
      const receipt = await evm<Receipt | null>('eth_getTransactionReceipt', hash);
      if (receipt) return receipt;
      if ((await blocks.mine()).transactions.length === 0)
        throw new RpcError(rpcCode.internal, `transaction ${hash} was not included in a block`);
    }
  };
  return {
    send: async (order: Order): Promise<Receipt> => {
      const gas = BigInt(await evm<string>('eth_estimateGas', { from: wallet.address, ...order }));
      const raw = await wallet.signTransaction({
        ...order,
        ...(await price(evm)),
        type: 2,
        chainId,
        nonce: Number(await evm<string>('eth_getTransactionCount', wallet.address, 'pending')),
        // Headroom above the estimate, because the transaction may need more gas by the time it is mined.
        gasLimit: gas + gas / 4n,
      });
      return receiptOf(await pool.sendRaw([raw]));
    },
  };
};
