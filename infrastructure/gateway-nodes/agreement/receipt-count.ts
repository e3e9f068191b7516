import type { Cacheability } from '../../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { isHash, isQuantity, isRecord } from '../../../domain/rpc-value.js';
import { withTimeout } from '../../nodes/with-timeout.js';
import type { Attempt } from '../hedged-request.js';
import type { Member } from '../member.js';

/** Time for which receipts wait for the number of transactions, which takes a node much less than the receipts. */
const countMs = 2000;

/** Tells whether the answer is a list of receipts of a block that the call names by its hash or height. */
export const isCounted = ({ method }: RpcCall, { kind }: Cacheability): boolean =>
  method === 'eth_getBlockReceipts' && (kind === 'hash' || kind === 'height');

const nameOf = (block: unknown) => (isRecord(block) ? (block.blockHash ?? block.blockNumber) : block);

/** Returns the number of transactions that a node says the block has; null where it does not say. */
const transactionsAt = async (member: Member, [block]: readonly unknown[]): Promise<number | null> => {
  const name = nameOf(block);
  const method = isHash(name) ? 'eth_getBlockTransactionCountByHash' : 'eth_getBlockTransactionCountByNumber';
  const asking = withTimeout(countMs, (cancellation) => member.exchange(method, JSON.stringify([name]), cancellation));
  const envelope = await asking.catch(() => null);
  if (!envelope || 'error' in envelope) return null;
  const count: unknown = JSON.parse(envelope.result.toString());
  return isQuantity(count) ? Number(count) : null;
};

/** Member that every receipt has once, and logs do not have. A quote within a text would follow a backslash. */
const mark = Buffer.from('"cumulativeGasUsed":');

/** Counts the receipts of an answer without parsing it; null where they do not have the member that is counted. */
const receiptsIn = (result: Buffer): number | null => {
  let count = 0;
  for (let at = result.indexOf(mark); at >= 0; at = result.indexOf(mark, at + mark.length)) count++;
  return count === 0 && result.includes('{') ? null : count;
};

/** Doubts receipts that are more or fewer than the transactions which the same node says the block has. */
export const countReceipts = async (
  { params }: RpcCall,
  attempt: Promise<Attempt<RpcAnswer>>,
  member: Member,
): Promise<Attempt<RpcAnswer>> => {
  const [given, transactions] = await Promise.all([attempt, transactionsAt(member, params)]);
  if (given.doubt !== 'none' || transactions === null || 'error' in given.answer) return given;
  const receipts = receiptsIn(given.answer.result as Buffer);
  return receipts === null || receipts === transactions ? given : { answer: given.answer, doubt: 'lacking' };
};
