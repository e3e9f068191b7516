import { randomBytes } from 'node:crypto';
import { Wallet } from 'ethers/wallet';
import type { Block } from './blocks.js';
import { chainId, type Evm } from './edr.js';
import type { Parts } from './parts.js';
import { RpcError, rpcCode } from './rpc-error.js';

export type Receipt = {
  readonly transactionHash: string;
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly contractAddress: string | null;
  readonly logs: readonly { readonly topics: readonly string[] }[];
};

/** All in hex; without `to` it creates a contract. */
type Order = { readonly to?: string; readonly value?: string; readonly data?: string };

export type Faucet = ReturnType<typeof createFaucet>;

/** A new key for every chain, which also makes every chain's first block another. */
export const newFaucetKey = () => new Wallet(`0x${randomBytes(32).toString('hex')}`);

/** The base fee may rise while the transaction waits its turn in a full pool. */
const feeHeadroom = 10n;
const tip = 1_000_000_000n;

const price = async (evm: Evm) => {
  const { baseFeePerGas } = await evm<Block>('eth_getBlockByNumber', 'latest', false);
  return { maxPriorityFeePerGas: tip, maxFeePerGas: BigInt(baseFeePerGas) * feeHeadroom + tip };
};

/** Sends from an account of its own, and answers once that is in a block, whatever the chain's interval. */
export const createFaucet = ({ evm, blocks, pool }: Parts, wallet: Wallet) => {
  const receiptOf = async (hash: string) => {
    for (;;) {
      const receipt = await evm<Receipt | null>('eth_getTransactionReceipt', hash);
      if (receipt) return receipt;
      if ((await blocks.mine()).transactions.length === 0)
        throw new RpcError(rpcCode.internal, `no block takes the transaction ${hash}`);
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
        // An estimate is only just enough, and what the state is by then may ask for more.
        gasLimit: gas + gas / 4n,
      });
      return receiptOf(await pool.sendRaw([raw]));
    },
  };
};
