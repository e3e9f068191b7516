import {
  type AccountStatus,
  type Cell,
  Dictionary,
  type Message,
  type Transaction,
  type TransactionComputePhase,
  type TransactionDescription,
} from '@ton/core';

/** How the index of version 3 writes what happened on the chain. */
type Cells = { readonly received: Cell | null; readonly sent: ReadonlyMap<number, Cell> };

const written = (address: { toRawString(): string } | null | undefined) => address?.toRawString().toUpperCase() ?? null;
const inBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const hashOf = (number: bigint) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').toString('base64');
const statuses: Readonly<Record<AccountStatus, string>> = {
  active: 'active',
  frozen: 'frozen',
  'non-existing': 'nonexist',
  uninitialized: 'uninit',
};

const commentIn = (body: Cell) => {
  const slice = body.beginParse();
  if (slice.remainingBits < 32 || slice.loadUint(32) !== 0) return null;
  return { type: 'text_comment', comment: slice.loadStringTail() };
};
const opcodeIn = (body: Cell) => {
  const slice = body.beginParse();
  return slice.remainingBits < 32 ? null : `0x${slice.loadUint(32).toString(16).padStart(8, '0')}`;
};

/** The cell is the message as it was sent: its hash is the same on both sides. */
const writeMessage = ({ info, body }: Message, cell: Cell) => {
  const internal = info.type === 'internal' ? info : null;
  return {
    hash: inBase64(cell.hash()),
    source: written(info.type === 'external-in' ? null : info.src),
    destination: written(info.type === 'external-out' ? null : info.dest),
    value: internal ? String(internal.value.coins) : null,
    fwd_fee: internal ? String(internal.forwardFee) : null,
    created_lt: internal ? String(internal.createdLt) : null,
    created_at: internal ? String(internal.createdAt) : null,
    opcode: opcodeIn(body),
    bounce: internal?.bounce ?? null,
    bounced: internal?.bounced ?? null,
    message_content: { hash: inBase64(body.hash()), body: body.toBoc().toString('base64'), decoded: commentIn(body) },
  };
};

const writeCompute = (phase: TransactionComputePhase) =>
  phase.type === 'skipped'
    ? { skipped: true, reason: phase.reason.replaceAll('-', '_') }
    : {
        skipped: false,
        success: phase.success,
        gas_fees: String(phase.gasFees),
        gas_used: String(phase.gasUsed),
        exit_code: phase.exitCode,
      };

const bounces = { ok: 'ok', 'no-funds': 'nofunds', 'negative-funds': 'negfunds' } as const;

const writeDescription = (description: TransactionDescription) => {
  if (description.type !== 'generic') return { type: description.type.replaceAll('-', '_') };
  const { aborted, destroyed, creditFirst, computePhase, actionPhase, bouncePhase } = description;
  return {
    type: 'ord',
    aborted,
    destroyed,
    credit_first: creditFirst,
    compute_ph: writeCompute(computePhase),
    ...(actionPhase && {
      action: { success: actionPhase.success, valid: actionPhase.valid, result_code: actionPhase.resultCode },
    }),
    ...(bouncePhase && { bounce: { type: bounces[bouncePhase.type] } }),
  };
};

const cellsOf = ({ raw }: Transaction): Cells => {
  const messages = (raw.refs[0] as Cell).beginParse();
  const received = messages.loadBit() ? messages.loadRef() : null;
  return { received, sent: new Map(messages.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())) };
};

export const writeTransaction = (transaction: Transaction, workchain: number, mcSeqno: number, block: object) => {
  const { address, lt, now, inMessage, outMessages, totalFees, oldStatus, endStatus, description } = transaction;
  const { received, sent } = cellsOf(transaction);
  return {
    account: `${workchain}:${address.toString(16).padStart(64, '0')}`.toUpperCase(),
    hash: inBase64(transaction.hash()),
    lt: String(lt),
    now,
    mc_block_seqno: mcSeqno,
    prev_trans_hash: hashOf(transaction.prevTransactionHash),
    prev_trans_lt: String(transaction.prevTransactionLt),
    orig_status: statuses[oldStatus],
    end_status: statuses[endStatus],
    total_fees: String(totalFees.coins),
    description: writeDescription(description),
    block_ref: block,
    in_msg: inMessage && received ? writeMessage(inMessage, received) : null,
    out_msgs: [...outMessages].map(([i, message]) => writeMessage(message, sent.get(i) as Cell)),
    emulated: false,
    finality: 'finalized',
  };
};
export type WrittenTransaction = ReturnType<typeof writeTransaction>;
