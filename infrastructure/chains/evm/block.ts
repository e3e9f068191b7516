import type { Block, Interest, Movement, Touch } from '../../../application/ports/chain.js';
import type { PaidFee } from '../../../domain/aggregates/ledger/ledger-data.js';
import { type Asset, assetKey } from '../../../domain/asset.js';
import { list, type Raw, record } from '../../nodes/raw.js';
import type { Pace } from '../../pace.js';
import {
  type ChainLog,
  type ChainReceipt,
  type ChainTransaction,
  type CheckedBlock,
  isPlain,
} from './checked-block.js';
import { eachParty } from './logs/parties.js';
import { createWrappings, type Wrappings } from './logs/wrapped-coins.js';
import { isBatch, isWrapping, readTokenLog, zeroAddress } from './token-logs.js';
import type { InternalTransfer, Traces } from './traces.js';
import { address, amount, gasFee, isNothing } from './wire.js';

const native = { standard: 'native' } as const;
const depositType = 0x7e;
const blobType = 0x3;
/** Compares the type of a transaction as a number, because some nodes pad it with zeros. */
const hasType = ({ type }: ChainTransaction, expected: number) => Number(type) === expected;

type Moved = Omit<Movement, 'transaction' | 'fee' | 'details'>;
type Emit = (moved: Moved) => void;
/**
 * Sender of a transaction: `from` is its address, and `sender` is true if the address is watched. The address is looked
 * up once per transaction, because lookups among a million addresses take most of the time.
 */
type SenderMatch = { readonly interest: Interest; readonly from: string; readonly sender: boolean };

const concerns = (interest: Interest, { from, to }: { from: string; to: string }) =>
  interest.address(from) || interest.address(to);

/**
 * Returns the blob fee of a blob transaction; 0 for every other type, because rollups use the blob fields of other
 * types for other purposes.
 */
const blobFee = (transaction: ChainTransaction, { blobGasUsed, blobGasPrice }: ChainReceipt) =>
  hasType(transaction, blobType)
    ? amount(blobGasUsed, 'the gas of blobs') * amount(blobGasPrice, 'the price of blobs')
    : 0n;

/** Returns the fields common to all movements of a transaction. */
const sharedFields = (transaction: ChainTransaction, receipt: ChainReceipt) => {
  const price = receipt.effectiveGasPrice ?? transaction.gasPrice;
  const fee = gasFee(receipt, price) + blobFee(transaction, receipt);
  return {
    transaction: transaction.hash,
    fee: fee.toString(),
    details: { nonce: amount(transaction.nonce, 'the nonce').toString() },
  };
};

/**
 * Emits the transfer of a transaction's own `value`. The value is parsed only after an address matches, because most
 * transactions concern no watched address.
 */
const nativeMovement = (transaction: ChainTransaction, receipt: ChainReceipt, match: SenderMatch, emit: Emit) => {
  if (isNothing(transaction.value)) return;
  const to = (transaction.to ?? receipt.contractAddress ?? '').toLowerCase();
  if (!match.sender && !match.interest.address(to)) return;
  const value = amount(transaction.value, 'the value');
  const failed = receipt.status === '0x0';
  if (value > 0n) emit({ index: 'native', asset: native, from: match.from, to, value: value.toString(), failed });
};

/**
 * Emits the amount minted by a rollup deposit. The mint remains valid even if the rest of the deposit fails.
 */
const mintedMovement = (transaction: ChainTransaction, { sender, from }: SenderMatch, emit: Emit) => {
  if (!sender || !hasType(transaction, depositType)) return;
  const value = amount(transaction.mint, 'the mint');
  if (value > 0n)
    emit({ index: 'mint', asset: native, from: zeroAddress, to: from, value: value.toString(), failed: false });
};

const internalMovements = (transfers: readonly InternalTransfer[], interest: Interest, emit: Emit) => {
  for (const { number, from, to, value } of transfers)
    if (concerns(interest, { from, to }))
      emit({ index: `trace:${number}`, asset: native, from, to, value: value.toString(), failed: false });
};

/** Context for reading the logs of a receipt. */
type Reading = { readonly interest: Interest; readonly touches: Touches; readonly wrappings: Wrappings };

const piecesOf = function* (log: ChainLog, position: number, reading: Reading): Iterable<Moved> {
  const { interest, touches, wrappings } = reading;
  const contract = log.address.toLowerCase();
  if (isWrapping(log.topics) && !wrappings.isTransfer(log)) {
    eachParty(log, (one) => {
      if (interest.address(one)) touches.add(one, 'wrap', { standard: 'erc20', contract });
    });
    return;
  }
  const read = readTokenLog(contract, log.topics, log.data);
  if (!read || !concerns(interest, read)) return;
  const { from, to } = read;
  let part = 0;
  for (const piece of read.pieces()) {
    const index = isBatch(log.topics) ? `log:${position}:${part++}` : `log:${position}`;
    yield { index, from, to, failed: false, ...piece };
  }
};

const tokenMovements = async ({ logs }: ChainReceipt, reading: Reading, emit: Emit, pace: Pace) => {
  for (let position = 0; position < logs.length; position++) {
    if (pace.isDue()) await pace.breathe();
    const log = logs[position] as ChainLog;
    if (!reading.interest.contract(log.address.toLowerCase())) continue;
    for (const moved of piecesOf(log, position, reading)) {
      emit(moved);
      // A single batch log may contain thousands of movements, so other work may run between these movements too, not
      // only between logs.
      if (pace.isDue()) await pace.breathe();
    }
  }
};

const createTouches = () => {
  const touches = new Map<string, Touch>();
  return {
    addFee: (address: string, fee: PaidFee) => {
      const key = `fee ${address}`;
      const fees = touches.get(key)?.fees as PaidFee[] | undefined;
      if (fees) fees.push(fee);
      else touches.set(key, { address, reason: 'fee', fees: [fee] });
    },
    add: (address: string, reason: Touch['reason'], asset?: Asset) =>
      touches.set(`${reason} ${address} ${asset ? assetKey(asset) : ''}`, { address, reason, ...(asset && { asset }) }),
    all: () => [...touches.values()],
  };
};
type Touches = ReturnType<typeof createTouches>;

/**
 * Creates a function that marks the watched addresses in a receipt as touched. Used for blocks without traces: contract
 * code may have paid these addresses, so their balances are read again. Contracts are looked up once per block, because
 * a few of them emit most logs.
 */
const createExecutionTouches = (interest: Interest, touches: Touches, pace: Pace) => {
  const contracts = new Set<string>();
  const visit = (address: string) => {
    if (interest.address(address)) touches.add(address, 'execution');
  };
  const visitContract = (given: string) => {
    if (contracts.has(given)) return;
    contracts.add(given);
    visit(given.toLowerCase());
  };
  return async (transaction: ChainTransaction, receipt: ChainReceipt) => {
    if (receipt.status === '0x0' || isPlain(transaction, receipt)) return;
    const called = transaction.to ?? receipt.contractAddress;
    if (called) visitContract(called);
    for (const log of receipt.logs) {
      visitContract(log.address);
      eachParty(log, visit);
      if (pace.isDue()) await pace.breathe();
    }
  };
};

const withdrawersIn = (raw: Raw) =>
  list(raw.withdrawals ?? [], 'the withdrawals of the block').map((withdrawal) =>
    address(record(withdrawal, 'a withdrawal').address, 'an address of a withdrawal'),
  );
const minerIn = ({ miner }: Raw) => (typeof miner === 'string' ? [miner.toLowerCase()] : []);

/**
 * Reduces a block to the movements of watched addresses and to touches, which cause their balances to be read again.
 * `traces` is null if the block ran no code or no node supports tracing.
 */
export const blockOf = async (
  { header, raw, transactions, receipts }: CheckedBlock,
  traces: Traces | null,
  interest: Interest,
  pace: Pace,
): Promise<Block> => {
  const movements: Movement[] = [];
  const touches = createTouches();
  const touchExecuted = createExecutionTouches(interest, touches, pace);
  for (const [i, transaction] of transactions.entries()) {
    const receipt = receipts[i] as ChainReceipt;
    let shared: ReturnType<typeof sharedFields> | undefined;
    const fields = () => {
      shared ??= sharedFields(transaction, receipt);
      return shared;
    };
    const emit = (moved: Moved) => movements.push({ ...moved, ...fields() });
    const from = transaction.from.toLowerCase();
    const match = { interest, from, sender: interest.address(from) };
    if (match.sender) touches.addFee(from, { transaction: transaction.hash, value: fields().fee });
    mintedMovement(transaction, match, emit);
    nativeMovement(transaction, receipt, match, emit);
    if (traces) internalMovements(traces[i] ?? [], interest, emit);
    else await touchExecuted(transaction, receipt);
    if (receipt.logs.length > 0) {
      const wrappings = createWrappings(receipt.logs);
      await tokenMovements(receipt, { interest, touches, wrappings }, emit, pace);
    }
    if (pace.isDue()) await pace.breathe();
  }
  for (const one of withdrawersIn(raw).filter((address) => interest.address(address))) touches.add(one, 'withdrawal');
  for (const one of minerIn(raw).filter((address) => interest.address(address))) touches.add(one, 'reward');
  return { ...header, movements, touches: touches.all() };
};
