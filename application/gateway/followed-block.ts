import { fail } from '../../domain/failure.js';
import { isHash, isQuantity, isRecord } from '../../domain/rpc-value.js';
import type { Node } from '../ports/node.js';

export type FollowedLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockNumber: string;
  readonly blockHash: string;
};

export type FollowedBlock = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly transactions: readonly string[];
  /**
   * Presence of logs according to the block's bloom filter; `nothing` where the network does not fill bloom filters.
   */
  readonly announces: 'logs' | 'no logs' | 'nothing';
  /** Fields of the block's header, as the node returned them. */
  readonly header: object;
};

const ofBodyOnly = ['transactions', 'uncles', 'withdrawals', 'size'];
const emptyBloom = /^0x0+$/;
/**
 * Matches a bloom filter without information (empty, or with all bits set), as returned on networks that do not fill
 * bloom filters.
 */
const noBloom = /^0x(f{512})?$/i;

const announcedBy = (bloom: unknown): FollowedBlock['announces'] => {
  if (typeof bloom !== 'string' || noBloom.test(bloom)) return 'nothing';
  return emptyBloom.test(bloom) ? 'no logs' : 'logs';
};

const readBlock = (hash: string, block: unknown): FollowedBlock => {
  if (!isRecord(block) || !isQuantity(block.number) || !isHash(block.parentHash))
    return fail('NODE_ERROR', `A node returned an invalid block for hash ${hash}.`);
  return {
    number: Number(block.number),
    hash,
    parentHash: block.parentHash.toLowerCase(),
    transactions: Array.isArray(block.transactions) ? block.transactions.map(String) : [],
    announces: announcedBy(block.logsBloom),
    header: Object.fromEntries(Object.entries(block).filter(([field]) => !ofBodyOnly.includes(field))),
  };
};

/** Fetches a block; null when no node knows it, for example after a reorganization. */
export const fetchBlock = async (node: Node, hash: string): Promise<FollowedBlock | null> => {
  const block = await node.ask('eth_getBlockByHash', [hash, false]);
  return block === null ? null : readBlock(hash, block);
};

/** Returns the hash of the block at a height; rejects with NODE_ERROR when no node has the block. */
export const fetchHash = async (node: Node, height: number): Promise<string> => {
  const block = await node.ask('eth_getBlockByNumber', [`0x${height.toString(16)}`, false]);
  if (!isRecord(block) || !isHash(block.hash))
    return fail('NODE_ERROR', `No node has block ${height}, although a node reported a higher head.`);
  return block.hash.toLowerCase();
};

const isLogOf =
  (hash: string) =>
  (log: unknown): log is FollowedLog =>
    isRecord(log) &&
    typeof log.address === 'string' &&
    Array.isArray(log.topics) &&
    typeof log.blockNumber === 'string' &&
    String(log.blockHash).toLowerCase() === hash;

/**
 * Fetches the logs of exactly one block; null when all nodes that responded returned no logs although the bloom filter
 * shows logs. Rejects with NODE_ERROR when a log is malformed or belongs to another block, so that the caller retries.
 */
export const fetchLogs = async (
  node: Node,
  { hash, announces }: FollowedBlock,
): Promise<readonly FollowedLog[] | null> => {
  if (announces === 'no logs') return [];
  const logs = await node.ask('eth_getLogs', [{ blockHash: hash }], { retryIfEmpty: announces === 'logs' });
  if (!Array.isArray(logs) || !logs.every(isLogOf(hash)))
    return fail('NODE_ERROR', `A node returned invalid logs for block ${hash}.`);
  return logs.length === 0 && announces === 'logs' ? null : logs;
};
