import { slicesOf } from '../../../application/async/slices.js';
import type { Broadcast, Call, Header, Inclusion, Sending } from '../../../application/ports/chain.js';
import type { BlockRef } from '../../../domain/aggregates/transaction/transaction-data.js';
import { fail } from '../../../domain/failure.js';
import { failInvalidAnswer, NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { type Raw, record } from '../../nodes/raw.js';
import { askAt } from './balances.js';
import type { Node, Nodes } from './nodes.js';
import { type Outcome, resultOf } from './outcome.js';
import { gasFee, hash, inHex, integer, isFailed, quantity } from './wire.js';

/** Pattern of the messages with which nodes report that they already have a transaction. */
const alreadyKnown = /already (known|imported|exists|in (the )?(mem)?pool)|known transaction|alreadyknown|tx already/i;
const staleNonce = /nonce (is )?too low|nonce too small|old nonce|invalid nonce|nonce.{0,40}(lower|expected)/i;
const chunkSize = 40;

const inChunks = async <T, R>(all: readonly T[], work: (some: readonly T[]) => Promise<readonly R[]>): Promise<R[]> => {
  const found: R[] = [];
  for (const some of slicesOf(all, chunkSize)) found.push(...(await work(some)));
  return found;
};

/**
 * Returns the reason for a failure that would be the same on any node, as reported by the contract or the node.
 * Rethrows any other error.
 */
const reasonIn = (error: unknown): string => {
  if (error instanceof NodeFault && ['reverted', 'refused'].includes(error.kind)) return error.message;
  throw error;
};

/** Estimates the gas. Rejects a transaction that would fail, with the reason of the contract or the node. */
const estimate = async (node: Node, { from, to, value, data, accessList }: Call) => {
  const call = { from, to, value: inHex(BigInt(value)), data, ...(accessList && { accessList }) };
  try {
    return quantity(await node.call('eth_estimateGas', [call]), 'the gas estimate').toString();
  } catch (error) {
    return fail('INVALID_ARGUMENT', `The transaction would fail: ${reasonIn(error)}`);
  }
};

/** Maximum length of a failure reason in characters. Bounded, because the contract controls the text. */
const maxFailureLength = 500;
/**
 * Runs a failed transaction on the state before its block and returns the reason for the failure; null if the
 * transaction succeeds there. Prices are omitted, because the base fee of that state differs.
 */
const repeat = async (node: Node, transaction: string, { number }: BlockRef) => {
  const found = record(await node.call('eth_getTransactionByHash', [transaction]), 'the transaction');
  const { from, to, value, gas, input, accessList } = found;
  try {
    await node.call('eth_call', [{ from, to, value, gas, data: input, accessList }, inHex(number - 1)]);
    return null;
  } catch (error) {
    return reasonIn(error).slice(0, maxFailureLength).toWellFormed();
  }
};

/**
 * Suggests fees for a transaction of type 2 (EIP-1559). If the node suggests no priority fee, derives it from the gas
 * price.
 */
const suggestFees = async (node: Node) => {
  const block = record(await node.call('eth_getBlockByNumber', ['latest', false]), 'the newest block');
  if (block.baseFeePerGas === undefined || block.baseFeePerGas === null)
    return fail('FAILED_PRECONDITION', 'The chain has no base fee. Use gas_price instead of max_fee_per_gas.');
  const baseFee = quantity(block.baseFeePerGas, 'the base fee');
  const priorityFee = await node
    .call('eth_maxPriorityFeePerGas', [])
    .then((fee) => quantity(fee, 'the priority fee'))
    .catch(async (error: unknown) => {
      if (!(error instanceof NodeFault)) throw error;
      const rest = quantity(await node.call('eth_gasPrice', []), 'the gas price') - baseFee;
      return rest > 0n ? rest : 0n;
    });
  return { baseFee: baseFee.toString(), priorityFee: priorityFee.toString() };
};

/**
 * Reads the receipt of a transaction; null if there is none. The fee is absent if the node does not report the price
 * that was paid.
 */
const receiptIn = (outcome: Outcome | undefined): Inclusion | null => {
  const raw = resultOf(outcome);
  if (raw === null) return null;
  const receipt = record(raw, 'the receipt');
  const price = receipt.effectiveGasPrice;
  return {
    block: {
      number: integer(receipt.blockNumber, 'the block number of the receipt'),
      hash: hash(receipt.blockHash, 'the block hash of the receipt'),
    },
    failed: isFailed(receipt.status),
    ...(typeof price === 'string' && { fee: gasFee(receipt, price).toString() }),
  };
};

/**
 * Maximum block time in Unix seconds, in the year 5138. Later times are dropped, because they may exceed the range of
 * Date.
 */
const maxTime = 99_999_999_999;
const timeIn = ({ timestamp }: Raw) => {
  const time = integer(timestamp, 'the block time');
  return time <= maxTime ? { time } : {};
};

/**
 * Finds the blocks of transactions and checks that these blocks are canonical, because a receipt may be from an
 * orphaned block.
 */
const inclusions = async (node: Node, hashes: readonly string[], at: Header) => {
  const outcomes = await node.batch(hashes.map((one) => ({ method: 'eth_getTransactionReceipt', params: [one] })));
  const found = outcomes.map(receiptIn);
  const heights = [...new Set([at.number, ...found.flatMap((one) => (one ? [one.block.number] : []))])];
  const blocks = await node.batch(
    heights.map((number) => ({ method: 'eth_getBlockByNumber', params: [inHex(number), false] })),
  );
  const canonical = new Map(
    heights.map((number, i) => {
      const block = resultOf(blocks[i]);
      if (block === null) throw new NodeFault('missing', 'does not have the block yet');
      const raw = record(block, 'the block');
      return [number, { hash: hash(raw.hash, 'the block hash'), ...timeIn(raw) }];
    }),
  );
  if (canonical.get(at.number)?.hash !== at.hash) throw new NodeFault('missing', 'is on another fork');
  return found.map((one) => {
    if (!one || one.block.number > at.number) return null;
    const block = canonical.get(one.block.number);
    return block?.hash === one.block.hash
      ? { ...one, block: { ...one.block, ...block } }
      : failInvalidAnswer('returned a receipt of a block that is not on its chain');
  });
};

/** Submits a signed transaction to one node. A transaction that the node already has counts as taken. */
const submit = async (node: Node, { raw, hash: own }: { raw: string; hash: string }): Promise<Broadcast> => {
  try {
    const given = await node.call('eth_sendRawTransaction', [raw]);
    return hash(given, 'the transaction hash') === own
      ? { kind: 'taken' }
      : failInvalidAnswer('returned another hash than that of the transaction');
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    if (alreadyKnown.test(error.message)) return { kind: 'taken' };
    const isMined = staleNonce.test(error.message) && (await node.call('eth_getTransactionReceipt', [own])) !== null;
    if (isMined) return { kind: 'taken' };
    const { kind, message } = error;
    return kind === 'refused' || kind === 'reverted' ? { kind: 'refused', reason: message } : Promise.reject(error);
  }
};

/**
 * Combines the answers of all nodes. The transaction counts as taken if one node took it, and as refused only if no
 * node may have it.
 */
const combineAnswers = (answers: readonly Broadcast[]): Broadcast =>
  answers.find(({ kind }) => kind === 'taken') ??
  answers.find(({ kind }) => kind === 'unknown') ??
  answers[0] ?? { kind: 'unknown', reason: 'no node is configured' };

export const evmSending = (nodes: Nodes): Sending => {
  let chainId: Promise<number> | null = null;
  const askChainId = () => nodes.use(async (node) => integer(await node.call('eth_chainId', []), 'the chain id'));
  return {
    chainId: () => {
      chainId ??= askChainId().catch((error: unknown) => {
        chainId = null;
        throw error;
      });
      return chainId;
    },
    estimateGas: (call) => nodes.use((node) => estimate(node, call)),
    gasPrice: () =>
      nodes.use(async (node) => quantity(await node.call('eth_gasPrice', []), 'the gas price').toString()),
    suggestedFees: () => nodes.use(suggestFees),
    pendingCount: (from) =>
      nodes.use(async (node) => integer(await node.call('eth_getTransactionCount', [from, 'pending']), 'the nonce')),
    broadcast: async (signed) =>
      combineAnswers(
        await nodes.each(
          (node) => submit(node, signed),
          (reason) => ({ kind: 'unknown', reason }),
        ),
      ),
    countsAt: (senders, at) =>
      inChunks(senders, (some) =>
        askAt(
          nodes,
          some.map((sender) => ({
            call: (block) => ({ method: 'eth_getTransactionCount', params: [sender, block] }),
            read: (outcome) => integer(resultOf(outcome), 'the transaction count'),
          })),
          at,
        ),
      ),
    inclusionsAt: (hashes, at) => inChunks(hashes, (some) => nodes.use((node) => inclusions(node, some, at))),
    failureReason: (transaction, block) => nodes.use((node) => repeat(node, transaction, block)),
    knows: (hashes) =>
      Promise.all(
        hashes.map(async (one) => {
          const found = await nodes.find((node) => nullIfMissing(node.call('eth_getTransactionByHash', [one])));
          return found !== null;
        }),
      ),
  };
};
