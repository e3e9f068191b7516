import { readCount } from '../parameters.js';
import { invalid, RpcError, rpcCode } from '../rpc-error.js';
import { type Block, maxReorgDepth } from './blocks.js';
import type { Parts } from './parts.js';
import type { Listener } from './subscriptions.js';

type Params = readonly unknown[];
export type Methods = Readonly<Record<string, (params: Params, listener?: Listener) => unknown>>;

type BlockId = { readonly blockHash?: unknown; readonly blockNumber?: unknown };
const isHash = (id: unknown) => typeof id === 'string' && /^0x[0-9a-f]{64}$/i.test(id);

/** Finds a block by hash, height, tag or EIP-1898 object; null if it does not exist or is not mined yet. */
const findBlock = async ({ evm }: Parts, given: unknown) => {
  const { blockHash, blockNumber } = (typeof given === 'object' && given !== null ? given : {}) as BlockId;
  const id = blockHash ?? blockNumber ?? given;
  if (id == null) return invalid('missing value for required argument 0');
  const block = await evm<Block | null>(isHash(id) ? 'eth_getBlockByHash' : 'eth_getBlockByNumber', id, false);
  return block?.number ? block : null;
};

const blockReceipts = async (parts: Parts, [id]: Params) => {
  const block = await findBlock(parts, id);
  if (!block) return null;
  return Promise.all(block.transactions.map((hash) => parts.evm('eth_getTransactionReceipt', hash)));
};

const traceBlock = async (parts: Parts, [id, ...options]: Params) => {
  const block = await findBlock(parts, id);
  if (!block) throw new RpcError(rpcCode.node, `block ${id} not found`);
  return Promise.all(
    block.transactions.map(async (txHash) => ({
      txHash,
      result: await parts.evm('debug_traceTransaction', txHash, ...options),
    })),
  );
};

const uncleCount = async (parts: Parts, [id]: Params) => ((await findBlock(parts, id)) ? '0x0' : null);

/** Maximum delay of a Node.js timer in milliseconds. */
const maxIntervalMs = 2 ** 31 - 1;

const revert = async ({ blocks, subscriptions }: Parts, params: Params) => {
  const notifyRemoved = await subscriptions.retract((await blocks.height()) - maxReorgDepth + 1);
  const reverted = await blocks.revert(params);
  if (reverted) notifyRemoved(await blocks.height());
  return reverted;
};

/** Returns the connection of a subscriber. Rejects calls over HTTP, which cannot receive notifications. */
const connected = (listener: Listener | undefined) => {
  if (listener) return listener;
  throw new RpcError(rpcCode.method, 'notifications not supported');
};

/** Creates the methods that EDR lacks or must not run itself: sending, mining and reverting. */
export const nodeMethods = (parts: Parts, every: (ms: number) => void): Methods => ({
  eth_getBlockReceipts: (params) => blockReceipts(parts, params),
  debug_traceBlockByHash: (params) => traceBlock(parts, params),
  debug_traceBlockByNumber: (params) => traceBlock(parts, params),
  eth_getUncleCountByBlockHash: (params) => uncleCount(parts, params),
  eth_getUncleCountByBlockNumber: (params) => uncleCount(parts, params),
  eth_getUncleByBlockHashAndIndex: () => null,
  eth_getUncleByBlockNumberAndIndex: () => null,
  eth_protocolVersion: () => '0x44',
  eth_syncing: () => false,
  net_listening: () => true,
  net_peerCount: () => '0x0',
  txpool_content: () => parts.pool.content(),
  eth_sendRawTransaction: (params) => parts.pool.sendRaw(params),
  eth_sendTransaction: (params) => parts.pool.send(params),
  evm_mine: async (params) => {
    await parts.blocks.mine(...params);
    return '0';
  },
  hardhat_mine: async ([blocks, interval]) => {
    await parts.blocks.mineMany(readCount('blocks', blocks ?? 1), readCount('interval', interval ?? 1));
    return true;
  },
  eth_subscribe: (params, listener) => parts.subscriptions.subscribe(params, connected(listener)),
  eth_unsubscribe: (params, listener) => parts.subscriptions.unsubscribe(params, connected(listener)),
  evm_revert: (params) => revert(parts, params),
  evm_setAutomine: ([on]) => {
    parts.pool.setAutomine(on === true);
    return true;
  },
  hardhat_getAutomine: () => parts.pool.isAutomine(),
  evm_setIntervalMining: ([ms]) => {
    every(readCount('interval', ms, maxIntervalMs));
    return true;
  },
});
