import { isRecord } from '../../domain/rpc-value.js';
import type { Node } from '../ports/node.js';
import type { UsedNonce } from '../ports/pending.js';
import { addressText, quantity, type Raw, rawRecord, text } from './wire-records.js';

type Block = {
  readonly hash: string;
  readonly parentHash: string;
  readonly number: number;
  readonly transactions: readonly Raw[];
};

/**
 * Maximum number of remembered blocks. If a reorg is deeper, `advance` misses changes; the watcher finds these changes
 * later by its periodic reads of the node's pool and of stored transactions.
 */
const maxPathLength = 64;

const fetchBlock = async (node: Node, hash: string): Promise<Block | null> => {
  const answer = await node.ask('eth_getBlockByHash', [hash, true]);
  if (answer === null) return null;
  const raw = rawRecord(answer, 'a block');
  return {
    hash,
    parentHash: text(raw.parentHash).toLowerCase(),
    number: Number(quantity(raw.number, 'a block number')),
    transactions: Array.isArray(raw.transactions) ? raw.transactions.filter(isRecord) : [],
  };
};

const hashesIn = (blocks: readonly Block[]) =>
  blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => text(hash).toLowerCase()));

/**
 * Returns the highest nonce of each sender in the blocks. Lower nonces of the sender are used too, because nonces have
 * no gaps.
 */
const usedIn = (blocks: readonly Block[]): UsedNonce[] => {
  const highest = new Map<string, bigint>();
  for (const { from, nonce } of blocks.flatMap(({ transactions }) => transactions)) {
    const sender = addressText(from);
    const used = quantity(nonce, 'a nonce');
    if (used >= (highest.get(sender) ?? 0n)) highest.set(sender, used);
  }
  return [...highest].map(([from, nonce]) => ({ from, nonce }));
};

/**
 * Creates a record of the newest blocks, to find used nonces and the transactions that a reorg makes pending again.
 */
export const createRecentBlocks = (node: Node) => {
  const path = new Map<string, Block>();

  /** Fetches the blocks from the head down to, but not including, the first remembered block. */
  const branch = async (head: string): Promise<Block[]> => {
    const blocks: Block[] = [];
    const longest = path.size === 0 ? 1 : maxPathLength;
    for (let hash = head; !path.has(hash) && blocks.length < longest; ) {
      const block = await fetchBlock(node, hash);
      if (!block) break;
      blocks.push(block);
      hash = block.parentHash;
    }
    return blocks;
  };

  return {
    /**
     * Moves to the current head. Returns the nonces used since the last call, and the hashes of transactions that a
     * reorg removed.
     */
    advance: async (): Promise<{ used: readonly UsedNonce[]; returned: readonly string[] }> => {
      const { hash } = await node.head();
      const added = await branch(hash);
      const lowest = added.at(-1)?.number ?? Number.POSITIVE_INFINITY;
      const replaced = [...path.values()].filter(({ number }) => number >= lowest);
      for (const one of replaced) path.delete(one.hash);
      for (const one of added.toReversed()) path.set(one.hash, one);
      for (const oldest of path.keys()) {
        if (path.size <= maxPathLength) break;
        path.delete(oldest);
      }
      const included = new Set(hashesIn(added));
      return { used: usedIn(added), returned: hashesIn(replaced).filter((one) => !included.has(one)) };
    },
  };
};
