import type { Decider } from './decider.js';
import { refuse } from './failure.js';

/** What is signed; amounts are decimal. */
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
    /** The first block of the chain that it is for. */
    readonly chain: string;
    /** Tells this request from another under the same id. */
    readonly request: string;
  };
type BlockRef = { readonly number: number; readonly hash: string };
type Arrival = Named & { readonly block: BlockRef; readonly confirmations: number };

/** What the chain shows of a transaction that was sent. */
export type Outcome =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'mined'; readonly block: BlockRef; readonly failed: boolean }
  /** The transaction that takes its place so that nothing happens was mined. */
  | { readonly kind: 'canceled'; readonly block: BlockRef }
  /** Another transaction with its nonce was mined. */
  | { readonly kind: 'replaced' };

export type TransactionEvent =
  | { type: 'TransactionCreated'; data: Created }
  | { type: 'TransactionSigned'; data: Named & Signed }
  /** It is to be broadcast from now on; written before any node hears of it. */
  | {
      type: 'TransactionSent';
      data: Named & { walletId: string; chain: string; from: string; nonce: number; hash: string };
    }
  /** A node took it, or what cancels it. */
  | { type: 'TransactionTaken'; data: Named }
  /** Every node refused it for good, so it is as if it had not been sent. */
  | { type: 'TransactionRefused'; data: Named & { reason: string } }
  | { type: 'TransactionMined'; data: Arrival & { failed: boolean } }
  | { type: 'TransactionConfirmed'; data: Arrival }
  | { type: 'TransactionFailed'; data: Arrival }
  | { type: 'TransactionReplaced'; data: Named }
  /** A reorganization took back what had been seen. */
  | { type: 'TransactionDropped'; data: Named }
  | { type: 'TransactionCancelRequested'; data: Named & { gasPrice: string } }
  | { type: 'CancellationSigned'; data: Named & Signed }
  | { type: 'CancellationSent'; data: Named & { hash: string } }
  | { type: 'CancellationRefused'; data: Named & { reason: string } }
  | { type: 'CancellationMined'; data: Arrival }
  /** Before it was sent, so its nonce is free again. */
  | { type: 'TransactionCanceled'; data: Named }
  /** Nothing that was seen of it can be taken back any more. */
  | { type: 'TransactionClosed'; data: Named };

export type TransactionCommand =
  | { type: 'Create'; data: Created }
  | { type: 'Sign'; data: Named & Signed }
  | { type: 'Send'; data: Named }
  | { type: 'Take'; data: Named }
  | { type: 'Refuse'; data: Named & { reason: string } }
  /** Of one that was not sent; its nonce is released with it. */
  | { type: 'Cancel'; data: Named }
  /** Of one that was; `gasPrice` outbids it. */
  | { type: 'RequestCancel'; data: Named & { gasPrice: string } }
  | { type: 'Observe'; data: Named & { outcome: Outcome; confirmations: number; isDeep: boolean } };

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
  /** Whether a node is known to have what was sent last, and whether one ever had. */
  readonly isTaken: boolean;
  readonly wasTaken: boolean;
  /** Why nodes refused what was sent last. */
  readonly refusal: string | null;
  /** Where it, or what cancels it, is. */
  readonly block: BlockRef | null;
  readonly isFinal: boolean;
};

const missing = (transactionId: string) => refuse('NOT_FOUND', `there is no transaction ${transactionId}`);
const wrongState = ({ state }: Transaction, { transactionId }: Named, step: string) =>
  state === 'none'
    ? missing(transactionId)
    : refuse('FAILED_PRECONDITION', `transaction ${transactionId} is ${state.toUpperCase()} and cannot be ${step}`);

const waitsToSend = ({ state, cancellation }: Transaction) => state === 'canceling' && cancellation?.isSent === false;
/** Also when nodes refused what would have canceled it: another price is worth a try. */
const mayRequestCancel = (past: Transaction) => past.state === 'sent' || (waitsToSend(past) && past.refusal !== null);
const changedMeanwhile = () => refuse('CONFLICT', 'the transaction changed meanwhile; try again');
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
  if (!signed) return refuse('FAILED_PRECONDITION', `what cancels transaction ${transactionId} is not signed yet`);
  return isSent ? [] : [{ type: 'CancellationSent', data: { transactionId, hash: signed.hash } }];
};

/** While something that was seen may be taken back. */
const seen = ({ state, block, isFinal }: Transaction) => {
  if (isFinal) return null;
  if (state === 'mined') return { kind: 'mined', block };
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
const ending = ({ transactionId, outcome, confirmations }: Observation): TransactionEvent => {
  if (outcome.kind !== 'mined') return { type: 'TransactionClosed', data: { transactionId } };
  const data = { transactionId, block: outcome.block, confirmations };
  return { type: outcome.failed ? 'TransactionFailed' : 'TransactionConfirmed', data };
};
const observe = (past: Transaction, data: Observation): readonly TransactionEvent[] => {
  if (!isWatched(past)) return [];
  const { outcome, isDeep, transactionId } = data;
  const before = seen(past);
  const block = 'block' in outcome ? outcome.block : null;
  const isKnown = (before?.kind ?? 'waiting') === outcome.kind && before?.block?.hash === block?.hash;
  return [
    ...(before && !isKnown ? [{ type: 'TransactionDropped', data: { transactionId } } as const] : []),
    ...(isKnown ? [] : arrival(data)),
    ...(isDeep && outcome.kind !== 'waiting' ? [ending(data)] : []),
  ];
};

/** Signed outside: a private key never comes near. */
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
        ? refuse('ALREADY_EXISTS', `transaction ${data.transactionId} already exists`)
        : [{ type: 'TransactionCreated', data }],
    Sign: (past, data) => {
      if (past.state === 'canceling') return signCancellation(past, data);
      if (past.state === 'signed' && isSame(past.signed, data)) return [];
      return past.state === 'created' ? [{ type: 'TransactionSigned', data }] : wrongState(past, data, 'signed');
    },
    Send: (past, data) => {
      const { state, created, signed } = past;
      if (state === 'sent') return [];
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
    TransactionConfirmed: (past) => ({ ...past, state: 'confirmed', isFinal: true }),
    TransactionFailed: (past) => ({ ...past, state: 'failed', isFinal: true }),
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
