import { nullIfMissing } from '../nodes/node-fault.js';
import { createPace } from '../nodes/pace.js';
import { type BlockBody, type CheckedBlock, checkBody, checkReceipts } from './checked-block.js';
import type { Node } from './nodes.js';
import { resultOf } from './transport.js';

/** Null when the node gives them only one by one. */
const receiptsTogether = async (node: Node, hash: string): Promise<{ readonly receipts: unknown } | null> => {
  if (node.can.blockReceipts === false) return null;
  const [outcome] = await node.batch([{ method: 'eth_getBlockReceipts', params: [hash] }]);
  const isRefused = outcome && 'fault' in outcome && ['unsupported', 'refused'].includes(outcome.fault.kind);
  if (isRefused && !node.can.blockReceipts) return null;
  const receipts = resultOf(outcome);
  node.can.blockReceipts = true;
  return { receipts };
};

const receiptsOneByOne = async (node: Node, { transactions }: BlockBody) => {
  const calls = transactions.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
  const receipts = (await node.batch(calls)).map(resultOf);
  node.can.blockReceipts = false;
  return { receipts };
};

/** A block with its receipts as one node gives them, by hash so that no fork gets mixed in; null when the node lacks it. */
export const fetchBlock = async (node: Node, hash: string): Promise<CheckedBlock | null> => {
  const pace = createPace();
  const asked = receiptsTogether(node, hash);
  // The block may fail first, and then nobody waits for its receipts.
  asked.catch(() => undefined);
  const answer = await nullIfMissing(node.call('eth_getBlockByHash', [hash, true]));
  if (answer === null) return null;
  await pace.breathe();
  const body = await checkBody(answer, hash, pace);
  const { receipts } = (await asked) ?? (await receiptsOneByOne(node, body));
  await pace.breathe();
  return await checkReceipts(body, receipts, pace);
};
