import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

/** Fields that the signature covers. Amounts are decimal strings in the smallest unit. */
export type Unsigned = {
  readonly chainId: number;
  readonly nonce: number;
  readonly to: string;
  readonly value: string;
  readonly gas: string;
  readonly gasPrice: string;
  readonly data: string;
};
export type Signed = { readonly raw: string; readonly hash: string };
type Named = { readonly transactionId: string };
type Created = Named &
  Unsigned & {
    readonly walletId: string;
    readonly from: string;
    /** Hash of the first block of the chain that the transaction is for. */
    readonly chain: string;
    /** Fingerprint of the request. It distinguishes a retry from another request with the same id. */
    readonly request: string;
  };
type BlockRef = { readonly number: number; readonly hash: string };
type Arrival = Named & { readonly block: BlockRef; readonly confirmations: number };
/** `open` is present while a reorg may still replace the block, so that the transaction is still watched. */
type End = Arrival & { readonly open?: true };

/** State of a sent transaction on the chain. */
export type Outcome =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'mined'; readonly block: BlockRef; readonly failed: boolean }
  /** The cancellation, an empty transaction with the same nonce, was mined instead. */
  | { readonly kind: 'canceled'; readonly block: BlockRef }
  /** Another transaction with the same nonce, which the service did not send, was mined instead. */
  | { readonly kind: 'replaced' };

export type TransactionEvent =
  | { type: 'TransactionCreated'; data: Created }
  | { type: 'TransactionSigned'; data: Named & Signed }
  /** The transaction may be broadcast. The event is stored before the transaction is sent to any node. */
  | {
      type: 'TransactionSent';
      data: Named & { walletId: string; chain: string; from: string; nonce: number; hash: string };
    }
  /** A node accepted the transaction or its cancellation. */
  | { type: 'TransactionTaken'; data: Named }
  /** Every node rejected the transaction permanently, so it counts as not sent. */
  | { type: 'TransactionRefused'; data: Named & { reason: string } }
  | { type: 'TransactionMined'; data: Arrival & { failed: boolean } }
  | { type: 'TransactionConfirmed'; data: End }
  | { type: 'TransactionFailed'; data: End }
  | { type: 'TransactionReplaced'; data: Named }
  /** A reorg undid the outcome that was last seen on the chain. */
  | { type: 'TransactionDropped'; data: Named }
  | { type: 'TransactionCancelRequested'; data: Named & { gasPrice: string } }
  | { type: 'CancellationSigned'; data: Named & Signed }
  | { type: 'CancellationSent'; data: Named & { hash: string } }
  | { type: 'CancellationRefused'; data: Named & { reason: string } }
  | { type: 'CancellationMined'; data: Arrival }
  /** The transaction was canceled before it was sent. Its nonce is free again. */
  | { type: 'TransactionCanceled'; data: Named }
  /** The outcome is final: no reorg can undo it. */
  | { type: 'TransactionClosed'; data: Named };

export type TransactionCommand =
  | { type: 'Create'; data: Created }
  | { type: 'Sign'; data: Named & Signed }
  | { type: 'Send'; data: Named }
  | { type: 'Take'; data: Named }
  | { type: 'Refuse'; data: Named & { reason: string } }
  /** Cancels a transaction that was not sent. Its nonce is released in the same append. */
  | { type: 'Cancel'; data: Named }
  /** Requests the cancellation of a sent transaction. `gasPrice` is high enough to replace it. */
  | { type: 'RequestCancel'; data: Named & { gasPrice: string } }
  /** `isDeep`: the outcome has the confirmations that the wallet requires. `isFinal`: no reorg can undo the outcome. */
  | { type: 'Observe'; data: Named & { outcome: Outcome; confirmations: number; isDeep: boolean; isFinal: boolean } };

type Cancellation = { readonly gasPrice: string; readonly signed: Signed | null; readonly isSent: boolean };
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
  /** True while a node is known to have what was sent last: the transaction or its cancellation. */
  readonly isTaken: boolean;
  /** True once a node accepted what was sent last, even if a reorg dropped it later. Later rejections are ignored. */
  readonly wasTaken: boolean;
  /** Reason why nodes rejected what was sent last; null if they did not. */
  readonly refusal: string | null;
  /** Block that includes the transaction or its cancellation; null while none does. */
  readonly block: BlockRef | null;
  readonly isFinal: boolean;
};

const missing = (transactionId: string) => fail('NOT_FOUND', `Transaction not found: ${transactionId}`);
const wrongState = ({ state }: Transaction, { transactionId }: Named, step: string) =>
  state === 'none'
    ? missing(transactionId)
    : fail('FAILED_PRECONDITION', `Transaction ${transactionId} is ${state.toUpperCase()} and cannot be ${step}`);

const waitsToSend = ({ state, cancellation }: Transaction) => state === 'canceling' && cancellation?.isSent === false;
/** A cancellation that nodes rejected may be requested again at a higher gas price. */
const mayRequestCancel = (past: Transaction) => past.state === 'sent' || (waitsToSend(past) && past.refusal !== null);
const changedMeanwhile = () => fail('CONFLICT', 'The transaction was modified concurrently. Retry the request.');
const isSame = (signed: Signed | null, { hash }: Signed) => signed?.hash === hash;

const signCancellation = (past: Transaction, data: Named & Signed): readonly TransactionEvent[] => {
  const { cancellation } = past;
  if (isSame(cancellation?.signed ?? null, data)) return [];
  return waitsToSend(past) && !cancellation?.signed
    ? [{ type: 'CancellationSigned', data }]
    : wrongState(past, data, 'signed');
};

const sendCancellation = (past: Transaction, { transactionId }: Named): readonly TransactionEvent[] => {
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
  const data = { transactionId, block: outcome.block, confirmations };
  return outcome.kind === 'canceled'
    ? [{ type: 'CancellationMined', data }]
    : [{ type: 'TransactionMined', data: { ...data, failed: outcome.failed } }];
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
    TransactionCancelRequested: (past, { gasPrice }) => ({
      ...past,
      state: 'canceling',
      cancellation: { gasPrice, signed: null, isSent: false },
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
