import { failInvalidAnswer, NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { isRaw, list, type Raw, record } from '../../nodes/raw.js';
import type { Node } from './http-transport.js';
import { blockName, lastBlock, type MasterBlock } from './masterchain.js';
import { askPage } from './page-size.js';
import { decimal, hash } from './wire.js';

/**
 * Transaction from an index. The declared fields are validated here; all other fields are validated when they are used.
 */
export type Transaction = Raw & { readonly lt: string; readonly block_ref: Raw };

const check = (value: unknown, seqno: number): Transaction => {
  if (!isRaw(value)) return failInvalidAnswer('a transaction is not an object');
  if (value.mc_block_seqno !== seqno) failInvalidAnswer('returned a transaction of another masterchain block');
  if (value.emulated === true || (value.finality ?? 'finalized') !== 'finalized')
    failInvalidAnswer('returned a transaction that is not final');
  return {
    ...value,
    lt: decimal(value.lt, 'the time of a transaction'),
    block_ref: record(value.block_ref, 'a block'),
  };
};

/** Reads all pages of the transactions of a masterchain block. A transaction on two pages counts once. */
const readPages = async (node: Node, seqno: number, expected: number | null) => {
  const found = new Map<string, Transaction>();
  const isWhole = (rows: number, limit: number) =>
    rows === 0 || (expected === null ? rows < limit : found.size >= expected);
  for (let offset = 0; ; ) {
    const at = offset;
    const { answer, limit } = await askPage(node.pages, (limit) =>
      nullIfMissing(node.get('transactionsByMasterchainBlock', { seqno, limit, offset: at, sort: 'asc' })),
    );
    const page = list(answer?.transactions ?? [], 'the transactions');
    for (const one of page) {
      const transaction = check(one, seqno);
      found.set(hash(transaction.hash, 'the hash of a transaction'), transaction);
    }
    offset += page.length;
    if (isWhole(page.length, limit)) return [...found.values()];
  }
};

type Committed = NonNullable<MasterBlock['blocks']>;
/** Returns the total number of transactions; null if the source does not report all counts. */
const total = (blocks: Committed | null) =>
  [...(blocks?.values() ?? [{ count: null }])].reduce<number | null>(
    (sum, { count }) => (sum === null || count === null ? null : sum + count),
    0,
  );

/**
 * Compares the transactions with the counts in the blocks, because a lagging index, or a lagging server behind it, may
 * omit some.
 */
const checkCounts = (transactions: readonly Transaction[], blocks: Committed) => {
  const found = new Map([...blocks.keys()].map((name) => [name, 0]));
  for (const { block_ref } of transactions) {
    const name = blockName(block_ref);
    found.set(name, (found.get(name) ?? failInvalidAnswer('returned a transaction of an uncommitted block')) + 1);
  }
  if ([...blocks].some(([name, { count }]) => count !== null && count !== found.get(name)))
    failInvalidAnswer('returned a different number of transactions than the block has');
};

const byTime = (a: Transaction, b: Transaction) => {
  const difference = BigInt(a.lt) - BigInt(b.lt);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return String(a.hash) < String(b.hash) ? -1 : 1;
};

/** Reads all transactions of a masterchain block and of the blocks that it commits, ordered by logical time. */
export const readTransactions = async (node: Node, { seqno, blocks }: MasterBlock): Promise<readonly Transaction[]> => {
  const transactions = await readPages(node, seqno, total(blocks));
  if (blocks) checkCounts(transactions, blocks);
  else if ((await lastBlock(node)).number < seqno) throw new NodeFault('missing', 'does not have the block yet');
  return transactions.sort(byTime);
};
