import type { Cacheability } from '../../../application/gateway/cacheability.js';
import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { isHash, isQuantity, isRecord } from '../../../domain/rpc-value.js';
import { withTimeout } from '../../nodes/with-timeout.js';
import type { Attempt } from '../hedged-request.js';
import type { Member } from '../member.js';

/** Timeout in ms for reading a block's number of transactions, which a node computes much faster than the receipts. */
const countMs = 2000;

/** Returns whether the call asks for the receipts of a block by its hash or height. */
export const isCounted = ({ method }: RpcCall, { kind }: Cacheability): boolean =>
  method === 'eth_getBlockReceipts' && (kind === 'hash' || kind === 'height');

const nameOf = (block: unknown) => (isRecord(block) ? (block.blockHash ?? block.blockNumber) : block);

/** Asks a node for the number of transactions in the block; null when the node does not return one. */
const transactionsAt = async (member: Member, [block]: readonly unknown[]): Promise<number | null> => {
  const name = nameOf(block);
  const method = isHash(name) ? 'eth_getBlockTransactionCountByHash' : 'eth_getBlockTransactionCountByNumber';
  const asking = withTimeout(countMs, (cancellation) => member.exchange(method, JSON.stringify([name]), cancellation));
  const envelope = await asking.catch(() => null);
  if (!envelope || 'error' in envelope) return null;
  const count: unknown = JSON.parse(envelope.result.toString());
  return isQuantity(count) ? Number(count) : null;
};

/**
 * JSON property that every receipt contains exactly once and no log contains. Inside a string value, its quotes would
 * be escaped.
 */
const mark = Buffer.from('"cumulativeGasUsed":');

/** Counts the receipts in an answer without parsing it; null when the receipts lack the property that is counted. */
const receiptsIn = (result: Buffer): number | null => {
  let count = 0;
  for (let at = result.indexOf(mark); at >= 0; at = result.indexOf(mark, at + mark.length)) count++;
  return count === 0 && result.includes('{') ? null : count;
};

/**
 * Marks an answer as lacking data if its number of receipts differs from the number of transactions that the same node
 * reports for the block.
 */
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
