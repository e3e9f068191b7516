import { refuse } from '../../domain/failure.js';
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
  readonly mayHaveLogs: boolean;
  /** What of the block is its header. */
  readonly header: object;
};

const ofBodyOnly = ['transactions', 'uncles', 'withdrawals', 'size'];
const emptyBloom = /^0x0*$/;

const isBloomEmpty = (bloom: unknown) => typeof bloom === 'string' && emptyBloom.test(bloom);

/** Null when no node knows it, for example because it was replaced. */
export const fetchBlock = async (node: Node, hash: string): Promise<FollowedBlock | null> => {
  const block = await node.ask('eth_getBlockByHash', [hash, false]);
  if (block === null) return null;
  if (!isRecord(block) || !isQuantity(block.number) || !isHash(block.parentHash))
    return refuse('NODE_ERROR', 'a node told of a block that is none');
  return {
    number: Number(block.number),
    hash,
    parentHash: block.parentHash.toLowerCase(),
    transactions: Array.isArray(block.transactions) ? block.transactions.map(String) : [],
    mayHaveLogs: !isBloomEmpty(block.logsBloom),
    header: Object.fromEntries(Object.entries(block).filter(([field]) => !ofBodyOnly.includes(field))),
  };
};

const isLogOf =
  (hash: string) =>
  (log: unknown): log is FollowedLog =>
    isRecord(log) &&
    typeof log.address === 'string' &&
    Array.isArray(log.topics) &&
    typeof log.blockNumber === 'string' &&
    String(log.blockHash).toLowerCase() === hash;

/** Of that very block; refuses what contradicts it, so that it is asked for again. */
export const fetchLogs = async (node: Node, { hash, mayHaveLogs }: FollowedBlock): Promise<readonly FollowedLog[]> => {
  if (!mayHaveLogs) return [];
  const logs = await node.ask('eth_getLogs', [{ blockHash: hash }]);
  if (!Array.isArray(logs) || logs.length === 0 || !logs.every(isLogOf(hash)))
    return refuse('NODE_ERROR', 'a node does not know the logs of a block that has some');
  return logs;
};
