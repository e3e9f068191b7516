import type { Outcome, TransactionCommand, TransactionEvent } from '../../../domain/aggregates/transaction.js';
import { emits, nothing, refused } from '../../support/histories/matrix.js';

const transactionId = 'tx_1';
export const named = { transactionId };
export const created = {
  ...named,
  walletId: 'wal_1',
  from: '0xaa',
  chain: '0xb0',
  request: 'r',
  chainId: 1,
  nonce: 7,
  to: '0xbb',
  value: '1',
  gas: '21000',
  gasPrice: '8',
  data: '0x',
};
export const signature = { ...named, raw: '0x01', hash: '0x11' };
export const cancelSignature = { ...named, raw: '0x02', hash: '0x22' };
export const block = { number: 5, hash: '0xb5' };
export const elsewhere = { number: 5, hash: '0xc5' };
const seen = { ...named, block, confirmations: 1 };
const deep = { ...named, block, confirmations: 3, open: true } as const;
const final = { ...named, block, confirmations: 64 };
export const event = {
  created: { type: 'TransactionCreated', data: created },
  signed: { type: 'TransactionSigned', data: signature },
  sent: {
    type: 'TransactionSent',
    data: { ...named, walletId: 'wal_1', chain: '0xb0', from: '0xaa', nonce: 7, hash: '0x11' },
  },
  taken: { type: 'TransactionTaken', data: named },
  refused: { type: 'TransactionRefused', data: { ...named, reason: 'underpriced' } },
  mined: { type: 'TransactionMined', data: { ...seen, failed: false } },
  confirmed: { type: 'TransactionConfirmed', data: deep },
  confirmedForGood: { type: 'TransactionConfirmed', data: final },
  failed: { type: 'TransactionFailed', data: deep },
  failedForGood: { type: 'TransactionFailed', data: final },
  replaced: { type: 'TransactionReplaced', data: named },
  dropped: { type: 'TransactionDropped', data: named },
  cancelRequested: { type: 'TransactionCancelRequested', data: { ...named, gasPrice: '9' } },
  cancelSigned: { type: 'CancellationSigned', data: cancelSignature },
  cancelSent: { type: 'CancellationSent', data: { ...named, hash: '0x22' } },
  cancelRefused: { type: 'CancellationRefused', data: { ...named, reason: 'underpriced' } },
  cancelMined: { type: 'CancellationMined', data: seen },
  canceled: { type: 'TransactionCanceled', data: named },
  closed: { type: 'TransactionClosed', data: named },
} as const satisfies Record<string, TransactionEvent>;

const sent = [event.created, event.signed, event.sent];
const canceling = [...sent, event.taken, event.cancelRequested];
const cancelSigned = [...canceling, event.cancelSigned];
export const cancelSent = [...cancelSigned, event.cancelSent];

const wrongState = (is: string, step: string) =>
  refused('FAILED_PRECONDITION', `Transaction tx_1 is ${is} and cannot be ${step}`);
export const changed = refused('CONFLICT', 'The transaction was modified concurrently. Retry the request.');
const missing = refused('NOT_FOUND', 'Transaction not found: tx_1');

export const states = {
  unknown: [],
  created: [event.created],
  signed: [event.created, event.signed],
  sent,
  'sent and in a mempool': [...sent, event.taken],
  refused: [...sent, event.refused],
  mined: [...sent, event.mined],
  dropped: [...sent, event.mined, event.dropped],
  confirmed: [...sent, event.mined, event.confirmed],
  'finally confirmed': [...sent, event.mined, event.confirmedForGood],
  failed: [...sent, event.mined, event.failed],
  'finally failed': [...sent, event.mined, event.failedForGood],
  replaced: [...sent, event.replaced],
  'finally replaced': [...sent, event.replaced, event.closed],
  'being canceled': canceling,
  'being canceled, with the cancellation signed': cancelSigned,
  'being canceled, with the cancellation sent': cancelSent,
  'being canceled, with the cancellation rejected': [...cancelSent, event.cancelRefused],
  'canceled by a mined cancellation': [...cancelSent, event.cancelMined],
  'canceled before it was sent': [event.created, event.canceled],
} as const satisfies Record<string, readonly TransactionEvent[]>;
export type State = keyof typeof states;
export const cancellationSigned = 'being canceled, with the cancellation signed';
export const cancellationSent = 'being canceled, with the cancellation sent';
export const cancellationRefused = 'being canceled, with the cancellation rejected';
export const cancellationMined = 'canceled by a mined cancellation';
/** States in the tests, grouped by the API state that error messages name for them. */
const shown: Readonly<Record<string, readonly State[]>> = {
  CREATED: ['created'],
  SIGNED: ['signed', 'refused'],
  SENT: ['sent', 'sent and in a mempool', 'dropped'],
  MINED: ['mined'],
  CONFIRMED: ['confirmed', 'finally confirmed'],
  FAILED: ['failed', 'finally failed'],
  REPLACED: ['replaced', 'finally replaced'],
  CANCELING: ['being canceled', cancellationSigned, cancellationSent, cancellationRefused],
  CANCELED: [cancellationMined, 'canceled before it was sent'],
};
type Cells = Partial<Record<State, typeof missing | ReturnType<typeof emits<TransactionEvent>>>>;
/** Completes a row of the state matrix: in every state without a given cell, the step is rejected. */
export const orWrongState = (step: string, given: Cells) => ({
  ...Object.fromEntries(
    Object.entries(shown).flatMap(([name, of]) => of.map((state) => [state, wrongState(name, step)])),
  ),
  ...given,
  otherwise: missing,
});
/** Completes a row of the state matrix: in every state without a given cell, the step emits nothing. */
export const orNothing = (given: Cells) => ({ ...given, otherwise: nothing });

/** Cells for states that emit the same events. */
export const at = (among: readonly State[], ...events: TransactionEvent[]): Cells =>
  Object.fromEntries(among.map((state) => [state, emits<TransactionEvent>(...events)]));
export const included: State[] = ['mined', 'confirmed', 'failed'];
export const waiting: State[] = [
  'sent',
  'sent and in a mempool',
  'dropped',
  'being canceled',
  cancellationSigned,
  cancellationSent,
  cancellationRefused,
];
export const minedAt = (confirmations: number) => ({ ...event.mined, data: { ...seen, confirmations, failed: false } });
export const cancelMinedAt = (confirmations: number) => ({ ...event.cancelMined, data: { ...seen, confirmations } });

/**
 * Creates the command that observes an outcome. It is deep enough for the wallet at 3 confirmations, and final at 64.
 */
export const observe = (outcome: Outcome, confirmations: number): TransactionCommand => ({
  type: 'Observe',
  data: { ...named, outcome, confirmations, isDeep: confirmations >= 3, isFinal: confirmations >= 64 },
});
export const minedThere = {
  type: 'TransactionMined',
  data: { ...seen, block: elsewhere, failed: true, fee: '42', reason: 'paused' },
} as const;
