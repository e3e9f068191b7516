import { Failure, fail, invalid } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { failChainOff } from '../ports/chains.js';
import { type AddressCodecs, invalidAddress } from '../ports/codec.js';
import { type Node, NodeRefusal } from '../ports/node.js';
import type { PendingTransactions } from '../ports/pending.js';
import { type InternalTransactionRecord, tracers } from './traces.js';
import {
  type BlockRecord,
  failInvalidAnswer,
  isIncluded,
  type LogRecord,
  type PendingTransactionRecord,
  type Raw,
  type ReceiptRecord,
  rawRecord,
  showBlock,
  showLog,
  showPending,
  showReceipt,
  showTransaction,
  type TransactionRecord,
} from './wire-records.js';

const network = 'mainnet';

/**
 * Returns the node pool of a chain's gateway, which also serves the chain's queries; undefined if the chain has no
 * nodes.
 */
export const queriedNode = (nodes: ReadonlyMap<string, Node>, { segment }: Variant): Node | undefined =>
  nodes.get(`${segment}/${network}`);

export type Queries = {
  block(variant: Variant, number: number): Promise<BlockRecord>;
  transaction(variant: Variant, hash: string): Promise<TransactionRecord>;
  /** Returns the transactions that exist, in the order of `hashes`. */
  transactions(variant: Variant, hashes: readonly string[]): Promise<TransactionRecord[]>;
  receipt(variant: Variant, hash: string): Promise<ReceiptRecord>;
  logs(variant: Variant, hash: string): Promise<LogRecord[]>;
  internalTransactions(variant: Variant, hash: string): Promise<InternalTransactionRecord[]>;
  pendingTransaction(variant: Variant, hash: string): Promise<PendingTransactionRecord>;
  pendingTransactions(variant: Variant, from: string, nonce?: number): Promise<PendingTransactionRecord[]>;
};

const notFound = (what: string, id: string | number): never => fail('NOT_FOUND', `${what} not found: ${id}`);

/**
 * Turns UNAVAILABLE into NODE_ERROR, because queries report UNAVAILABLE only if the chain is not configured or no node
 * can trace the transaction.
 */
const asNodeError = (error: unknown): never => {
  if (error instanceof Failure && error.code === 'UNAVAILABLE') throw new Failure('NODE_ERROR', error.message);
  throw error;
};

const cannotTrace = (error: unknown): error is NodeRefusal => error instanceof NodeRefusal && error.kind !== 'other';

type Ports = {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly pending: PendingTransactions;
  readonly codecs: AddressCodecs;
};

/**
 * Creates a reader that uses the gateway's node pool, so that queries share the pool's cache and in-flight requests.
 */
const createReader = ({ nodes }: Ports) => {
  const nodeOf = (variant: Variant) => queriedNode(nodes, variant) ?? failChainOff(variant);
  const ask = async (variant: Variant, method: string, params: readonly unknown[], bundle?: symbol) =>
    nodeOf(variant)
      .ask(method, params, { ...(bundle && { bundle }) })
      .catch(asNodeError);
  /**
   * Returns null if the block, transaction or receipt does not exist. Some nodes report a missing object by null, other
   * nodes by an error.
   */
  const find = async (
    variant: Variant,
    method: string,
    params: readonly unknown[],
    bundle?: symbol,
  ): Promise<Raw | null> => {
    try {
      const found = await ask(variant, method, params, bundle);
      return found === null ? null : rawRecord(found, 'the result');
    } catch (error) {
      if (error instanceof NodeRefusal && error.kind === 'missing') return null;
      throw error;
    }
  };
  /**
   * Treats a pending transaction as missing, because only the queries for pending transactions return pending
   * transactions.
   */
  const findIncluded = async (variant: Variant, method: string, hash: string, bundle?: symbol): Promise<Raw | null> => {
    const found = await find(variant, method, [hash.toLowerCase()], bundle);
    return found && isIncluded(found) ? found : null;
  };
  return {
    nodeOf,
    ask,
    block: (variant: Variant, number: number) =>
      find(variant, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]),
    transaction: (variant: Variant, hash: string, bundle?: symbol) =>
      findIncluded(variant, 'eth_getTransactionByHash', hash, bundle),
    receipt: async (variant: Variant, hash: string): Promise<Raw> =>
      (await findIncluded(variant, 'eth_getTransactionReceipt', hash)) ?? notFound('Mined transaction', hash),
  };
};

const traceWith = async ({ ask }: ReturnType<typeof createReader>, variant: Variant, hash: string) => {
  const reasons: string[] = [];
  for (const { method, params, frames } of tracers)
    try {
      return frames(await ask(variant, method, params(hash)));
    } catch (error) {
      if (!cannotTrace(error)) throw error;
      reasons.push(`${method}: ${error.message}`);
    }
  return fail('UNAVAILABLE', `No node of chain ${variant.tag} can trace this transaction: ${reasons.join('; ')}`);
};

export const createQueries = (ports: Ports): Queries => {
  const { pending, codecs } = ports;
  const reader = createReader(ports);

  return {
    block: async (variant, number) => {
      const found = await reader.block(variant, number);
      return found ? showBlock(found) : notFound('Block', number);
    },
    transaction: async (variant, hash) => {
      const found = await reader.transaction(variant, hash);
      return found ? showTransaction(found) : notFound('Mined transaction', hash);
    },
    transactions: async (variant, hashes) => {
      const bundle = Symbol('transactions');
      const found = await Promise.all(hashes.map((hash) => reader.transaction(variant, hash, bundle)));
      return found.flatMap((one) => (one ? [showTransaction(one)] : []));
    },
    receipt: async (variant, hash) => {
      const receipt = await reader.receipt(variant, hash);
      // Nodes older than EIP-1559 return receipts without effectiveGasPrice. The price paid is then the gas price of
      // the transaction.
      const gasPrice = receipt.effectiveGasPrice ?? (await reader.transaction(variant, hash))?.gasPrice;
      return showReceipt(receipt, gasPrice);
    },
    logs: async (variant, hash) => {
      const { logs } = await reader.receipt(variant, hash);
      return Array.isArray(logs)
        ? logs.map((log) => showLog(rawRecord(log, 'a log')))
        : failInvalidAnswer('logs are not an array');
    },
    internalTransactions: async (variant, given) => {
      const hash = given.toLowerCase();
      await reader.receipt(variant, hash);
      const frames = await traceWith(reader, variant, hash);
      return frames.map((frame, trace_index) => ({ transaction_hash: hash, ...frame, trace_index }));
    },
    pendingTransaction: async (variant, hash) => {
      reader.nodeOf(variant);
      const found = await pending.find(hash.toLowerCase());
      return found ? showPending(found) : notFound('Pending transaction', hash);
    },
    pendingTransactions: async (variant, from, nonce) => {
      reader.nodeOf(variant);
      const codec = codecs[variant.family];
      const sender = codec.parse(from) ?? invalid('/from', invalidAddress(variant.family, codec.fault(from)));
      const found = await pending.listFrom(sender, nonce === undefined ? undefined : BigInt(nonce));
      return found.map(showPending);
    },
  };
};
