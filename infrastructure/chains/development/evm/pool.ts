import { RpcError } from '../rpc-error.js';
import type { Block, Blocks } from './blocks.js';
import type { Evm } from './edr.js';

export type Transaction = {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
  readonly type: string;
  readonly input: string;
  readonly [field: string]: unknown;
};

/** Transactions of the pool by sender address, then by nonce. */
type Queue = Record<string, Record<string, Transaction>>;

export type Pool = ReturnType<typeof createPool>;

const signedAgain = ['from', 'to', 'value', 'gas', 'nonce', 'chainId', 'accessList', 'authorizationList'];
/** Transaction types with a gas price: legacy and EIP-2930. Later types have maximum fees. */
const priced = ['0x0', '0x1'];

/**
 * Builds an `eth_sendTransaction` request from the fields of a transaction. The EVM signs the request again, for an
 * account that it owns or impersonates.
 */
const requestFor = (transaction: Transaction) => {
  const fees = priced.includes(transaction.type) ? ['gasPrice'] : ['maxFeePerGas', 'maxPriorityFeePerGas'];
  const fields = [...signedAgain, ...fees].map((field) => [field, transaction[field]]);
  return { ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)), data: transaction.input };
};

/**
 * Splits a sender's transactions into pending and queued ones. A transaction is pending if all nonces from the on-chain
 * nonce to its own are in the pool; every other transaction is queued.
 */
const splitByNonce = (transactions: readonly Transaction[], next: number) => {
  const nonces = new Set(transactions.map(({ nonce }) => Number(nonce)));
  let gap = next;
  while (nonces.has(gap)) gap++;
  const part = (pending: boolean) =>
    Object.fromEntries(
      transactions.filter(({ nonce }) => Number(nonce) < gap === pending).map((one) => [Number(one.nonce), one]),
    );
  return { pending: part(true), queued: part(false) };
};

/**
 * Creates the pool of pending transactions. If `instant` is true, a transaction is mined before its sender gets an
 * answer.
 */
export const createPool = (evm: Evm, blocks: Blocks, announce: (hash: string) => Promise<void>, instant: boolean) => {
  let automine = instant;
  /** Raw transactions that a reorganization may have to send again, keyed by hash. */
  const signed = new Map<string, string>();

  const waiting = () => evm<readonly Transaction[]>('eth_pendingTransactions');
  const mineReady = async (): Promise<void> => {
    const { transactions } = await evm<Block>('eth_getBlockByNumber', 'pending', false);
    if (transactions.length > 0 && (await blocks.mine()).transactions.length > 0) await mineReady();
  };
  const accept = async (hash: string) => {
    await announce(hash);
    if (automine) await mineReady();
    return hash;
  };

  return {
    waiting,
    isAutomine: () => automine,
    setAutomine: (on: boolean) => {
      automine = on;
    },
    sendRaw: async (params: readonly unknown[]) => {
      const hash = await evm<string>('eth_sendRawTransaction', ...params);
      signed.set(hash, params[0] as string);
      return accept(hash);
    },
    send: async (params: readonly unknown[]) => accept(await evm<string>('eth_sendTransaction', ...params)),
    /**
     * Puts a transaction back into the pool without mining it. A transaction that the chain no longer accepts is
     * dropped.
     */
    putBack: async (transaction: Transaction) => {
      const raw = signed.get(transaction.hash);
      try {
        await (raw ? evm('eth_sendRawTransaction', raw) : evm('eth_sendTransaction', requestFor(transaction)));
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      }
    },
    clear: async () => {
      for (const { hash } of await waiting()) await evm('hardhat_dropTransaction', hash);
    },
    content: async () => {
      const content = { pending: {} as Queue, queued: {} as Queue };
      const transactions = await waiting();
      for (const sender of new Set(transactions.map(({ from }) => from))) {
        const next = Number(await evm<string>('eth_getTransactionCount', sender, 'latest'));
        const { pending, queued } = splitByNonce(
          transactions.filter(({ from }) => from === sender),
          next,
        );
        if (Object.keys(pending).length > 0) content.pending[sender] = pending;
        if (Object.keys(queued).length > 0) content.queued[sender] = queued;
      }
      return content;
    },
  };
};
