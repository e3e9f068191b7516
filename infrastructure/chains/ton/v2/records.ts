import {
  type AccountStatus,
  type Cell,
  Dictionary,
  loadAccountStatus,
  loadCommonMessageInfo,
  loadCurrencyCollection,
  loadTransactionDescription,
  type Slice,
  type TransactionComputePhase,
  type TransactionDescription,
} from '@ton/core';
import { commentIn, op, opIn } from '../message.js';

const formatAddress = (address: { toRawString(): string } | null | undefined) =>
  address?.toRawString().toUpperCase() ?? null;
const inBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const hashOf = (number: bigint) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').toString('base64');
const statuses: Readonly<Record<AccountStatus, string>> = {
  active: 'active',
  frozen: 'frozen',
  'non-existing': 'nonexist',
  uninitialized: 'uninit',
};

const contentOf = (body: Cell) => {
  const slice = body.beginParse();
  const code = opIn(slice);
  return {
    opcode: code === null ? null : `0x${code.toString(16).padStart(8, '0')}`,
    message_content: {
      hash: inBase64(body.hash()),
      body: body.toBoc().toString('base64'),
      decoded: code === op.text ? { type: 'text_comment', comment: commentIn(slice).text } : null,
    },
  };
};

/**
 * Skips the StateInit of a message without parsing it, because branches of its dictionary may share cells: a small
 * dictionary may then have more keys than can be read.
 */
const skipState = (message: Slice) => {
  if (!message.loadBit()) return;
  if (message.loadBit()) {
    message.loadRef();
    return;
  }
  for (const bits of [5, 2]) if (message.loadBit()) message.skip(bits);
  for (let maybe = 0; maybe < 3; maybe++) message.loadMaybeRef();
};

/**
 * Converts a message to v3 JSON. The hash is that of the cell as it was sent, which is the same for sender and
 * receiver.
 */
const writeMessage = (cell: Cell) => {
  const message = cell.beginParse();
  const info = loadCommonMessageInfo(message);
  skipState(message);
  const body = message.loadBit() ? message.loadRef() : message.asCell();
  const internal = info.type === 'internal' ? info : null;
  return {
    hash: inBase64(cell.hash()),
    source: formatAddress(info.type === 'external-in' ? null : info.src),
    destination: formatAddress(info.type === 'external-out' ? null : info.dest),
    value: internal ? String(internal.value.coins) : null,
    value_extra_currencies: Object.fromEntries(
      (internal?.value.other?.keys() ?? []).map((id) => [id, String(internal?.value.other?.get(id))]),
    ),
    fwd_fee: internal ? String(internal.forwardFee) : null,
    created_lt: internal ? String(internal.createdLt) : null,
    created_at: internal ? String(internal.createdAt) : null,
    bounce: internal?.bounce ?? null,
    bounced: internal?.bounced ?? null,
    ...contentOf(body),
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
  const { type } = description;
  if (type !== 'generic' && type !== 'tick-tock') return { type: type.replaceAll('-', '_') };
  const { aborted, destroyed, computePhase, actionPhase } = description;
  const { creditFirst, bouncePhase } = type === 'generic' ? description : { creditFirst: false, bouncePhase: null };
  return {
    type: type === 'generic' ? 'ord' : 'tick_tock',
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

const transactionTag = 0b0111;

/** Parses the cell of a transaction, without the StateInit of its messages. */
const readTransaction = (raw: Cell) => {
  const slice = raw.beginParse();
  if (slice.loadUint(4) !== transactionTag) throw new Error('The cell is not a transaction.');
  const head = {
    address: slice.loadUintBig(256),
    lt: slice.loadUintBig(64),
    previousHash: slice.loadUintBig(256),
    previousLt: slice.loadUintBig(64),
    now: slice.loadUint(32),
  };
  slice.skip(15);
  const [oldStatus, endStatus] = [loadAccountStatus(slice), loadAccountStatus(slice)];
  const messages = slice.loadRef().beginParse();
  const received = messages.loadMaybeRef();
  const sent = messages.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell());
  const { coins: fees } = loadCurrencyCollection(slice);
  slice.loadRef();
  const description = loadTransactionDescription(slice.loadRef().beginParse());
  return { ...head, oldStatus, endStatus, received, sent: sent.values(), fees, description };
};

/** Converts the cell of a transaction to the JSON of a v3 index. */
export const writeTransaction = (raw: Cell, workchain: number, mcSeqno: number, block: object) => {
  const { address, lt, now, received, sent, fees, oldStatus, endStatus, description, ...before } = readTransaction(raw);
  return {
    account: `${workchain}:${address.toString(16).padStart(64, '0')}`.toUpperCase(),
    hash: inBase64(raw.hash()),
    lt: String(lt),
    now,
    mc_block_seqno: mcSeqno,
    prev_trans_hash: hashOf(before.previousHash),
    prev_trans_lt: String(before.previousLt),
    orig_status: statuses[oldStatus],
    end_status: statuses[endStatus],
    total_fees: String(fees),
    description: writeDescription(description),
    block_ref: block,
    in_msg: received && writeMessage(received),
    out_msgs: sent.map(writeMessage),
    emulated: false,
    finality: 'finalized',
  };
};
export type WrittenTransaction = ReturnType<typeof writeTransaction>;
