import type { Decider } from '../decider.js';
import { fail } from '../failure.js';
import type {
  BlockRef,
  CancellationMined,
  CancellationSent,
  CancelRequested,
  Created,
  Ended,
  Fees,
  Mined,
  OfTransaction,
  Refused,
  Sent,
  Signed,
} from './transaction/transaction-data.js';

/** State of a sent transaction on the chain. */
export type Outcome =
  | { readonly kind: 'waiting' }
  | ({ readonly kind: 'mined' } & Pick<Mined, 'block' | 'failed' | 'fee' | 'reason'>)
  /** The cancellation, an empty transaction with the same nonce, was mined instead of the transaction. */
  | ({ readonly kind: 'canceled' } & Pick<CancellationMined, 'block' | 'fee'>)
  /** Another transaction with the same nonce, which the service did not send, was mined instead of the transaction. */
  | { readonly kind: 'replaced' };

export type TransactionEvent =
  | { type: 'TransactionCreated'; data: Created }
  | { type: 'TransactionSigned'; data: OfTransaction & Signed }
  /** The transaction may be broadcast. The event is stored before the transaction is sent to any node. */
  | { type: 'TransactionSent'; data: Sent }
  /** A node accepted the transaction or its cancellation. */
  | { type: 'TransactionTaken'; data: OfTransaction }
  /** Every node rejected the transaction permanently, so it counts as not sent. */
  | { type: 'TransactionRefused'; data: Refused }
  | { type: 'TransactionMined'; data: Mined }
  | { type: 'TransactionConfirmed'; data: Ended }
  | { type: 'TransactionFailed'; data: Ended }
  | { type: 'TransactionReplaced'; data: OfTransaction }
  /** A reorg undid the outcome that was last seen on the chain. */
  | { type: 'TransactionDropped'; data: OfTransaction }
  | { type: 'TransactionCancelRequested'; data: CancelRequested }
  | { type: 'CancellationSigned'; data: OfTransaction & Signed }
  | { type: 'CancellationSent'; data: CancellationSent }
  | { type: 'CancellationRefused'; data: Refused }
  | { type: 'CancellationMined'; data: CancellationMined }
  /** The transaction was canceled before it was sent. Its nonce is free again. */
  | { type: 'TransactionCanceled'; data: OfTransaction }
  /** The outcome is final: no reorg can undo it. */
  | { type: 'TransactionClosed'; data: OfTransaction };

export type TransactionCommand =
  | { type: 'Create'; data: Created }
  | { type: 'Sign'; data: OfTransaction & Signed }
  | { type: 'Send'; data: OfTransaction }
  | { type: 'Take'; data: OfTransaction }
  | { type: 'Refuse'; data: Refused }
  /** Cancels a transaction that was not sent. Its nonce is released in the same append. */
  | { type: 'Cancel'; data: OfTransaction }
  /** Requests the cancellation of a sent transaction, with fees that are high enough to replace it. */
  | { type: 'RequestCancel'; data: CancelRequested }
  /**
   * `isDeep` is true if the outcome has the number of confirmations that the wallet requires, `isFinal` if no reorg can
   * undo the outcome.
   */
  | {
      type: 'Observe';
      data: OfTransaction & { outcome: Outcome; confirmations: number; isDeep: boolean; isFinal: boolean };
    };

type Cancellation = Fees & { readonly signed: Signed | null; readonly isSent: boolean };
export type Transaction = {
  readonly state:
    | 'none'
    | 'created'
    | 'signed'
    | 'sent'
    | 'mined'
    | 'confirmed'
    | 'failed'
    | 'canceling'
    | 'canceled'
    | 'replaced';
  readonly created: Created | null;
  readonly signed: Signed | null;
  readonly cancellation: Cancellation | null;
  /**
   * True from the acceptance by a node until a reorg drops the transaction. After the cancellation was sent, the value
   * applies to the cancellation.
   */
  readonly isTaken: boolean;
  /**
   * True once a node accepted the transaction (or its cancellation, once sent), even if a reorg dropped it later.
   * Rejections are ignored from then on.
   */
  readonly wasTaken: boolean;
  /** Reason why nodes rejected the transaction (or its cancellation, once sent); null if they did not reject it. */
  readonly refusal: string | null;
  /** Block that includes the transaction or its cancellation; null while no block includes either. */
  readonly block: BlockRef | null;
  readonly isFinal: boolean;
};

export const transactionNotFound = (idOrHash: string | undefined): never =>
  fail('NOT_FOUND', `Transaction not found: ${idOrHash}`);
const wrongState = ({ state }: Transaction, { transactionId }: OfTransaction, step: string) =>
  state === 'none'
    ? transactionNotFound(transactionId)
    : fail('FAILED_PRECONDITION', `Transaction ${transactionId} is ${state.toUpperCase()} and cannot be ${step}`);

const waitsToSend = ({ state, cancellation }: Transaction) => state === 'canceling' && cancellation?.isSent === false;
/**
 * Returns true if a cancellation may be requested: the transaction was sent, or nodes rejected its cancellation, which
 * may be requested again at a higher gas price.
 */
const mayRequestCancel = (past: Transaction) => past.state === 'sent' || (waitsToSend(past) && past.refusal !== null);
const changedMeanwhile = () => fail('CONFLICT', 'The transaction was modified concurrently. Retry the request.');
const isSame = (signed: Signed | null, { hash }: Signed) => signed?.hash === hash;

const signCancellation = (past: Transaction, data: OfTransaction & Signed): readonly TransactionEvent[] => {
  const { cancellation } = past;
  if (isSame(cancellation?.signed ?? null, data)) return [];
  return waitsToSend(past) && !cancellation?.signed
    ? [{ type: 'CancellationSigned', data }]
    : wrongState(past, data, 'signed');
};

const sendCancellation = (past: Transaction, { transactionId }: OfTransaction): readonly TransactionEvent[] => {
  const { signed, isSent } = past.cancellation as Cancellation;
  if (!signed)
    return fail(
      'FAILED_PRECONDITION',
      `The cancellation of transaction ${transactionId} is not signed. Submit its signature before sending it.`,
    );
  return isSent ? [] : [{ type: 'CancellationSent', data: { transactionId, hash: signed.hash } }];
};

const isEnded = ({ state }: Transaction) => state === 'confirmed' || state === 'failed';
/** Returns the last outcome seen on the chain that a reorg may still undo; null if there is none. */
const seen = (past: Transaction) => {
  const { state, block, isFinal } = past;
  if (isFinal) return null;
  if (state === 'mined' || isEnded(past)) return { kind: 'mined', block };
  if (state === 'replaced') return { kind: 'replaced', block: null };
  return state === 'canceled' && block ? { kind: 'canceled', block } : null;
};
const isWatched = (past: Transaction) => past.state === 'sent' || past.state === 'canceling' || seen(past) !== null;

type Observation = Extract<TransactionCommand, { type: 'Observe' }>['data'];
const arrival = ({ transactionId, outcome, confirmations }: Observation): readonly TransactionEvent[] => {
  if (outcome.kind === 'waiting') return [];
  if (outcome.kind === 'replaced') return [{ type: 'TransactionReplaced', data: { transactionId } }];
  const { block, fee } = outcome;
  const data = { transactionId, block, confirmations, ...(fee !== undefined && { fee }) };
  if (outcome.kind === 'canceled') return [{ type: 'CancellationMined', data }];
  const { failed, reason } = outcome;
  return [{ type: 'TransactionMined', data: { ...data, failed, ...(reason !== undefined && { reason }) } }];
};
const ending = (data: Observation, hasEnded: boolean): readonly TransactionEvent[] => {
  const { transactionId, outcome, confirmations, isDeep, isFinal } = data;
  if (outcome.kind === 'waiting') return [];
  if (outcome.kind !== 'mined' || hasEnded)
    return isFinal ? [{ type: 'TransactionClosed', data: { transactionId } }] : [];
  if (!isDeep) return [];
  const end = { transactionId, block: outcome.block, confirmations, ...(!isFinal && { open: true as const }) };
  return [{ type: outcome.failed ? 'TransactionFailed' : 'TransactionConfirmed', data: end }];
};
const observe = (past: Transaction, data: Observation): readonly TransactionEvent[] => {
  if (!isWatched(past)) return [];
  const { outcome, transactionId } = data;
  const before = seen(past);
  const block = 'block' in outcome ? outcome.block : null;
  const isKnown = (before?.kind ?? 'waiting') === outcome.kind && before?.block?.hash === block?.hash;
  return [
    ...(before && !isKnown ? [{ type: 'TransactionDropped', data: { transactionId } } as const] : []),
    ...(isKnown ? [] : arrival(data)),
    ...ending(data, isKnown && isEnded(past)),
  ];
};

/** Managed transaction. The caller signs it: the service never holds a private key. */
export const transaction: Decider<TransactionCommand, TransactionEvent, Transaction> = {
  stream: 'transaction',
  initial: {
    state: 'none',
    created: null,
    signed: null,
    cancellation: null,
    isTaken: false,
    wasTaken: false,
    refusal: null,
    block: null,
    isFinal: false,
  },
  decide: {
    Create: ({ created }, data) =>
      created
        ? fail('ALREADY_EXISTS', `Transaction already exists: ${data.transactionId}`)
        : [{ type: 'TransactionCreated', data }],
    Sign: (past, data) => {
      if (past.state === 'canceling') return signCancellation(past, data);
      if (past.state === 'signed' && isSame(past.signed, data)) return [];
      return past.state === 'created' ? [{ type: 'TransactionSigned', data }] : wrongState(past, data, 'signed');
    },
    Send: (past, data) => {
      const { state, created, signed } = past;
      if (state === 'sent' || state === 'mined' || state === 'confirmed') return [];
      if (state === 'canceling') return sendCancellation(past, data);
      if (state !== 'signed' || !created || !signed) return wrongState(past, data, 'sent');
      const { walletId, chain, from, nonce } = created;
      return [{ type: 'TransactionSent', data: { ...data, walletId, chain, from, nonce, hash: signed.hash } }];
    },
    Take: (past, data) =>
      isWatched(past) && !past.isTaken && !waitsToSend(past) ? [{ type: 'TransactionTaken', data }] : [],
    Refuse: (past, data) => {
      if (past.wasTaken) return [];
      if (past.state === 'sent') return [{ type: 'TransactionRefused', data }];
      return past.state === 'canceling' && past.cancellation?.isSent ? [{ type: 'CancellationRefused', data }] : [];
    },
    Cancel: (past, data) => {
      if (past.state === 'created' || past.state === 'signed') return [{ type: 'TransactionCanceled', data }];
      return mayRequestCancel(past) ? changedMeanwhile() : wrongState(past, data, 'canceled');
    },
    RequestCancel: (past, data) => {
      if (mayRequestCancel(past)) return [{ type: 'TransactionCancelRequested', data }];
      return past.state === 'signed' ? changedMeanwhile() : wrongState(past, data, 'canceled');
    },
    Observe: observe,
  },
  evolve: {
    TransactionCreated: (past, created) => ({ ...past, state: 'created', created }),
    TransactionSigned: (past, { raw, hash }) => ({ ...past, state: 'signed', signed: { raw, hash } }),
    TransactionSent: (past) => ({ ...past, state: 'sent', isTaken: false, wasTaken: false, refusal: null }),
    TransactionTaken: (past) => ({ ...past, isTaken: true, wasTaken: true }),
    TransactionRefused: (past, { reason }) => ({ ...past, state: 'signed', refusal: reason }),
    TransactionMined: (past, { block }) => ({ ...past, state: 'mined', wasTaken: true, block }),
    TransactionConfirmed: (past, { open }) => ({ ...past, state: 'confirmed', isFinal: !open }),
    TransactionFailed: (past, { open }) => ({ ...past, state: 'failed', isFinal: !open }),
    TransactionReplaced: (past) => ({ ...past, state: 'replaced', block: null }),
    TransactionDropped: (past) => ({
      ...past,
      state: past.cancellation ? 'canceling' : 'sent',
      isTaken: false,
      block: null,
    }),
    TransactionCancelRequested: (past, { transactionId, ...fees }) => ({
      ...past,
      state: 'canceling',
      cancellation: { ...fees, signed: null, isSent: false },
      refusal: null,
    }),
    CancellationSigned: (past, { raw, hash }) => ({
      ...past,
      cancellation: { ...(past.cancellation as Cancellation), signed: { raw, hash } },
    }),
    CancellationSent: (past) => ({
      ...past,
      isTaken: false,
      wasTaken: false,
      refusal: null,
      cancellation: { ...(past.cancellation as Cancellation), isSent: true },
    }),
    CancellationRefused: (past, { reason }) => ({
      ...past,
      refusal: reason,
      cancellation: { ...(past.cancellation as Cancellation), isSent: false },
    }),
    CancellationMined: (past, { block }) => ({ ...past, state: 'canceled', wasTaken: true, block }),
    TransactionCanceled: (past) => ({ ...past, state: 'canceled', isFinal: true }),
    TransactionClosed: (past) => ({ ...past, isFinal: true }),
  },
};
