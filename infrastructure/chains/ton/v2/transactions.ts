import { Cell } from '@ton/core';
import { failInvalidAnswer } from '../../../nodes/node-fault.js';
import { list, type Raw, record } from '../../../nodes/raw.js';
import { type BlockId, placeOf, queryOf } from './blocks.js';
import type { Call } from './call.js';
import { type WrittenTransaction, writeTransaction } from './records.js';

/** Maximum number of transactions that a liteserver returns at once. */
const maxPageSize = 256;

const readTransaction = (value: unknown, block: BlockId, seqno: number): WrittenTransaction => {
  const { data } = record(value, 'a transaction');
  try {
    return writeTransaction(Cell.fromBase64(String(data)), block.workchain, seqno, placeOf(block));
  } catch {
    return failInvalidAnswer('returned a transaction that cannot be parsed');
  }
};

/** Returns the cursor after a transaction. Transactions of a block are ordered by account, then by logical time. */
const after = ({ account, lt }: WrittenTransaction) => ({
  after_lt: lt,
  after_hash: Buffer.from(account.split(':')[1] as string, 'hex').toString('base64'),
});

/** Reads all transactions of one block, which the server returns as cells. */
export const readBlockTransactions = async (
  call: Call,
  block: BlockId,
  seqno: number,
  limit: number,
): Promise<readonly WrittenTransaction[]> => {
  const found = new Map<string, WrittenTransaction>();
  const count = Math.min(limit, maxPageSize);
  for (;;) {
    const known = found.size;
    const last = [...found.values()].at(-1);
    const answer: Raw = await call('getBlockTransactionsExt', { ...queryOf(block), count, ...(last && after(last)) });
    const page = list(answer.transactions, 'the transactions').map((one) => readTransaction(one, block, seqno));
    for (const one of page) found.set(one.hash, one);
    if (answer.incomplete === false) return [...found.values()];
    if (answer.incomplete !== true) return failInvalidAnswer('returned a page without a valid `incomplete` flag');
    if (found.size === known) return failInvalidAnswer('returned an incomplete page without new transactions');
  }
};
