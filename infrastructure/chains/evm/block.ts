import type { Block, Interest, Movement, Touch } from '../../../application/ports/chain.js';
import type { Pace } from '../nodes/pace.js';
import { list, type Raw, record } from '../nodes/raw.js';
import type { ChainLog, ChainReceipt, ChainTransaction, CheckedBlock } from './checked-block.js';
import { isBatch, readTokenLog } from './token-logs.js';
import type { InternalTransfer, Traces } from './traces.js';
import { address, quantity } from './wire.js';

const native = { standard: 'native' } as const;
const nobody = `0x${'0'.repeat(40)}`;
const depositType = '0x7e';

type Moved = Omit<Movement, 'transaction' | 'fee' | 'details'>;
type Emit = (moved: Moved) => void;
/** Whether a transaction's sender is of interest, asked once: among a million addresses that is what takes the time. */
type Matters = { readonly interest: Interest; readonly from: string; readonly sender: boolean };

const isNothing = (value: unknown) => value === undefined || value === null || value === '0x0';
const amount = (value: unknown, what: string) => (isNothing(value) ? 0n : quantity(value, what));

const concerns = (interest: Interest, { from, to }: { from: string; to: string }) =>
  interest.address(from) || interest.address(to);

/** What all movements of one transaction have in common. */
const sharedBy = (transaction: ChainTransaction, receipt: ChainReceipt) => {
  const price = receipt.effectiveGasPrice ?? transaction.gasPrice;
  const gas = amount(receipt.gasUsed, 'the gas used') * amount(price, 'the gas price');
  return {
    transaction: transaction.hash,
    fee: (gas + amount(receipt.l1Fee, 'the fee of the lower layer')).toString(),
    details: { nonce: amount(transaction.nonce, 'the nonce').toString() },
  };
};

/** Most transactions concern nobody: nothing is read or built before an address is found to matter. */
const nativeMovement = (transaction: ChainTransaction, receipt: ChainReceipt, matters: Matters, emit: Emit) => {
  if (isNothing(transaction.value)) return;
  const to = (transaction.to ?? receipt.contractAddress ?? '').toLowerCase();
  if (!matters.sender && !matters.interest.address(to)) return;
  const value = amount(transaction.value, 'the value');
  const failed = receipt.status === '0x0';
  if (value > 0n) emit({ index: 'native', asset: native, from: matters.from, to, value: value.toString(), failed });
};

/** What a rollup's deposit brings from the lower layer; it stays even when the rest of the deposit fails. */
const mintedMovement = ({ type, mint }: ChainTransaction, { sender, from }: Matters, emit: Emit) => {
  if (!sender || type !== depositType) return;
  const value = amount(mint, 'the mint');
  if (value > 0n)
    emit({ index: 'mint', asset: native, from: nobody, to: from, value: value.toString(), failed: false });
};

const internalMovements = (transfers: readonly InternalTransfer[], interest: Interest, emit: Emit) => {
  for (const { number, from, to, value } of transfers)
    if (concerns(interest, { from, to }))
      emit({ index: `trace:${number}`, asset: native, from, to, value: value.toString(), failed: false });
};

const piecesOf = function* (log: ChainLog, position: number, interest: Interest): Iterable<Moved> {
  const read = readTokenLog(log.address.toLowerCase(), log.topics, log.data);
  if (!read || !concerns(interest, read)) return;
  const { from, to } = read;
  let part = 0;
  for (const piece of read.pieces()) {
    const index = isBatch(log.topics) ? `log:${position}:${part++}` : `log:${position}`;
    yield { index, from, to, failed: false, ...piece };
  }
};

const tokenMovements = async ({ logs }: ChainReceipt, interest: Interest, emit: Emit, pace: Pace) => {
  for (let position = 0; position < logs.length; position++) {
    if (pace.isDue()) await pace.breathe();
    const log = logs[position] as ChainLog;
    if (!interest.contract(log.address.toLowerCase())) continue;
    for (const moved of piecesOf(log, position, interest)) {
      emit(moved);
      // One log of a batch may hold thousands.
      if (pace.isDue()) await pace.breathe();
    }
  }
};

const createTouches = () => {
  const touches = new Map<string, Touch>();
  return {
    add: (address: string, reason: Touch['reason']) => touches.set(`${reason} ${address}`, { address, reason }),
    all: () => [...touches.values()],
  };
};

const withdrawersIn = (raw: Raw) =>
  list(raw.withdrawals ?? [], 'the withdrawals of the block').map((withdrawal) =>
    address(record(withdrawal, 'a withdrawal').address, 'an address of a withdrawal'),
  );
const minerIn = ({ miner }: Raw) => (typeof miner === 'string' ? [miner.toLowerCase()] : []);

/** What of a block concerns anybody; `traces` is null where no node can trace. */
export const blockOf = async (
  { header, raw, transactions, receipts }: CheckedBlock,
  traces: Traces | null,
  interest: Interest,
  pace: Pace,
): Promise<Block> => {
  const movements: Movement[] = [];
  const touches = createTouches();
  for (const [i, transaction] of transactions.entries()) {
    const receipt = receipts[i] as ChainReceipt;
    let shared: ReturnType<typeof sharedBy> | undefined;
    const emit = (moved: Moved) => {
      shared ??= sharedBy(transaction, receipt);
      movements.push({ ...moved, ...shared });
    };
    const from = transaction.from.toLowerCase();
    const matters = { interest, from, sender: interest.address(from) };
    if (matters.sender) touches.add(from, 'fee');
    mintedMovement(transaction, matters, emit);
    nativeMovement(transaction, receipt, matters, emit);
    internalMovements(traces?.[i] ?? [], interest, emit);
    if (receipt.logs.length > 0) await tokenMovements(receipt, interest, emit, pace);
    if (pace.isDue()) await pace.breathe();
  }
  for (const one of withdrawersIn(raw).filter((address) => interest.address(address))) touches.add(one, 'withdrawal');
  for (const one of minerIn(raw).filter((address) => interest.address(address))) touches.add(one, 'reward');
  return { ...header, movements, touches: touches.all() };
};
