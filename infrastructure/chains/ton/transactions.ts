import { NodeFault, nullIfMissing, wrong } from '../nodes/node-fault.js';
import { isRaw, list, type Raw, record } from '../nodes/raw.js';
import type { Node } from './http-transport.js';
import { blockName, lastSeqno, type MasterBlock } from './masterchain.js';
import { decimal, hash } from './wire.js';

/** What was looked at; the rest is looked at where it is used. */
export type Transaction = Raw & { readonly lt: string; readonly block_ref: Raw };

const pageSize = 1000;

const check = (value: unknown, seqno: number): Transaction => {
  if (!isRaw(value)) return wrong('a transaction is no object');
  if (value.mc_block_seqno !== seqno) wrong('a transaction of another masterchain block');
  if (value.emulated === true || (value.finality ?? 'finalized') !== 'finalized')
    wrong('a transaction that is not final');
  return {
    ...value,
    lt: decimal(value.lt, 'the time of a transaction'),
    block_ref: record(value.block_ref, 'a block'),
  };
};

/** Whatever the pages repeat counts once. */
const readPages = async (node: Node, seqno: number, expected: number | null) => {
  const found = new Map<string, Transaction>();
  const isWhole = (page: readonly unknown[]) =>
    page.length === 0 || (expected === null ? page.length < pageSize : found.size >= expected);
  for (let offset = 0; ; ) {
    const query = { seqno, limit: pageSize, offset, sort: 'asc' };
    const answer = await nullIfMissing(node.get('transactionsByMasterchainBlock', query));
    const page = list(answer?.transactions ?? [], 'the transactions');
    for (const one of page) {
      const transaction = check(one, seqno);
      found.set(hash(transaction.hash, 'the hash of a transaction'), transaction);
    }
    offset += page.length;
    if (isWhole(page)) return [...found.values()];
  }
};

const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** An index that lags, or is several of which one lags, may leave some out; each block says how many it has. */
const checkCounts = (transactions: readonly Transaction[], counts: ReadonlyMap<string, number>) => {
  const left = new Map(counts);
  for (const { block_ref } of transactions) {
    const name = blockName(block_ref);
    left.set(name, (left.get(name) ?? wrong('a transaction of a block that is not there')) - 1);
  }
  if ([...left.values()].some((count) => count !== 0)) wrong('not every transaction of the block, or too many');
};

const byTime = (a: Transaction, b: Transaction) => {
  const difference = BigInt(a.lt) - BigInt(b.lt);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return String(a.hash) < String(b.hash) ? -1 : 1;
};

/** All that happened in a masterchain block and the blocks that it commits, in the order of logical time. */
export const readTransactions = async (node: Node, { seqno, counts }: MasterBlock): Promise<readonly Transaction[]> => {
  const transactions = await readPages(node, seqno, counts && total(counts));
  if (counts) checkCounts(transactions, counts);
  else if ((await lastSeqno(node)) < seqno) throw new NodeFault('missing', 'does not have the block yet');
  return transactions.sort(byTime);
};
