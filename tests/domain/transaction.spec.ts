import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decide, fold } from '../../domain/decider.js';
import { type Outcome, type TransactionCommand, type TransactionEvent, transaction } from '../../domain/transaction.js';
import { check, emits, nothing, refused } from '../support/matrix.js';

const transactionId = 'tx_1';
const named = { transactionId };
const created = {
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
const [signature, cancelSignature] = [
  { ...named, raw: '0x01', hash: '0x11' },
  { ...named, raw: '0x02', hash: '0x22' },
];
const [block, elsewhere] = [
  { number: 5, hash: '0xb5' },
  { number: 5, hash: '0xc5' },
];
const seen = { ...named, block, confirmations: 1 };
const deep = { ...named, block, confirmations: 3 };
const event = {
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
  failed: { type: 'TransactionFailed', data: deep },
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
const cancelSent = [...cancelSigned, event.cancelSent];

const wrong = (is: string, step: string) =>
  refused('FAILED_PRECONDITION', `transaction tx_1 is ${is} and cannot be ${step}`);
const changed = refused('CONFLICT', 'the transaction changed meanwhile; try again');
const missing = refused('NOT_FOUND', 'there is no transaction tx_1');

/** Column by column, in the order of the pasts. */
const pasts: Record<string, TransactionEvent[]> = {
  none: [],
  created: [event.created],
  signed: [event.created, event.signed],
  sent,
  'sent and taken': [...sent, event.taken],
  refused: [...sent, event.refused],
  mined: [...sent, event.mined],
  dropped: [...sent, event.mined, event.dropped],
  confirmed: [...sent, event.mined, event.confirmed],
  failed: [...sent, event.mined, event.failed],
  replaced: [...sent, event.replaced],
  closed: [...sent, event.replaced, event.closed],
  canceling,
  'canceling, signed': cancelSigned,
  'canceling, sent': cancelSent,
  'canceling, refused': [...cancelSent, event.cancelRefused],
  'canceled by another': [...cancelSent, event.cancelMined],
  canceled: [event.created, event.canceled],
};
const states =
  'NONE CREATED SIGNED SENT SENT SIGNED MINED SENT CONFIRMED FAILED REPLACED REPLACED CANCELING CANCELING CANCELING CANCELING CANCELED CANCELED'.split(
    ' ',
  );
type Cells = ReturnType<typeof emits<TransactionEvent>>[];
/** The cells that are given, and for the others that the step is wrong there. */
const cells = (step: string, given: Readonly<Record<number, unknown>>) =>
  states.map((state, i) => given[i] ?? (state === 'NONE' ? missing : wrong(state, step))) as Cells;
/** The cells that are given, and nothing for the others. */
const quiet = (given: Readonly<Record<number, unknown>>) => states.map((_, i) => given[i] ?? nothing) as Cells;

/** The same events in several columns. */
const at = (columns: readonly number[], ...events: TransactionEvent[]) =>
  Object.fromEntries(columns.map((column) => [column, emits<TransactionEvent>(...events)]));
const waiting = [3, 4, 7, 12, 13, 14, 15];
const minedDeep = { ...event.mined, data: { ...deep, failed: false } };
const cancelMinedDeep = { ...event.cancelMined, data: deep };

const observe = (outcome: Outcome, isDeep: boolean): TransactionCommand => ({
  type: 'Observe',
  data: { ...named, outcome, confirmations: isDeep ? 3 : 1, isDeep },
});
const minedThere = { type: 'TransactionMined', data: { ...seen, block: elsewhere, failed: true } } as const;

describe('transaction', () => {
  check(transaction, {
    pasts,
    rows: [
      [
        'Create',
        { type: 'Create', data: created },
        emits<TransactionEvent>(event.created),
        ...Array(17).fill(refused('ALREADY_EXISTS', 'transaction tx_1 already exists')),
      ],
      [
        'Sign',
        { type: 'Sign', data: signature },
        ...cells('signed', {
          1: emits(event.signed),
          2: nothing,
          5: nothing,
          12: emits({ type: 'CancellationSigned', data: signature }),
        }),
      ],
      [
        'Sign what cancels it',
        { type: 'Sign', data: cancelSignature },
        ...cells('signed', {
          1: emits({ type: 'TransactionSigned', data: cancelSignature }),
          12: emits(event.cancelSigned),
          13: nothing,
          14: nothing,
          15: nothing,
        }),
      ],
      [
        'Send',
        { type: 'Send', data: named },
        ...cells('sent', {
          2: emits(event.sent),
          3: nothing,
          4: nothing,
          5: emits(event.sent),
          7: nothing,
          12: refused('FAILED_PRECONDITION', 'what cancels transaction tx_1 is not signed yet'),
          13: emits(event.cancelSent),
          14: nothing,
          15: emits(event.cancelSent),
        }),
      ],
      ['Take', { type: 'Take', data: named }, ...quiet(at([3, 6, 7, 10, 14, 16], event.taken))],
      [
        'Refuse',
        { type: 'Refuse', data: { ...named, reason: 'underpriced' } },
        ...quiet({ 3: emits(event.refused), 14: emits(event.cancelRefused) }),
      ],
      [
        'Cancel',
        { type: 'Cancel', data: named },
        ...cells('canceled', {
          1: emits(event.canceled),
          2: emits(event.canceled),
          3: changed,
          4: changed,
          5: emits(event.canceled),
          7: changed,
          15: changed,
        }),
      ],
      [
        'RequestCancel',
        { type: 'RequestCancel', data: { ...named, gasPrice: '9' } },
        ...cells('canceled', {
          2: changed,
          3: emits(event.cancelRequested),
          4: emits(event.cancelRequested),
          5: changed,
          7: emits(event.cancelRequested),
          15: emits(event.cancelRequested),
        }),
      ],
      [
        'Observe that it waits',
        observe({ kind: 'waiting' }, false),
        ...quiet({ 6: emits(event.dropped), 10: emits(event.dropped), 16: emits(event.dropped) }),
      ],
      [
        'Observe that it is mined',
        observe({ kind: 'mined', block, failed: false }, false),
        ...quiet({ ...at(waiting, event.mined), ...at([10, 16], event.dropped, event.mined) }),
      ],
      [
        'Observe that it is mined deep enough',
        observe({ kind: 'mined', block, failed: false }, true),
        ...quiet({
          ...at(waiting, minedDeep, event.confirmed),
          ...at([6], event.confirmed),
          ...at([10, 16], event.dropped, minedDeep, event.confirmed),
        }),
      ],
      [
        'Observe that it failed in another block',
        observe({ kind: 'mined', block: elsewhere, failed: true }, false),
        ...quiet({ ...at(waiting, minedThere), ...at([6, 10, 16], event.dropped, minedThere) }),
      ],
      [
        'Observe that another took its place',
        observe({ kind: 'replaced' }, false),
        ...quiet({ ...at(waiting, event.replaced), ...at([6, 16], event.dropped, event.replaced) }),
      ],
      [
        'Observe that another took its place for good',
        observe({ kind: 'replaced' }, true),
        ...quiet({
          ...at(waiting, event.replaced, event.closed),
          ...at([6, 16], event.dropped, event.replaced, event.closed),
          ...at([10], event.closed),
        }),
      ],
      [
        'Observe that it is canceled for good',
        observe({ kind: 'canceled', block }, true),
        ...quiet({
          ...at(waiting, cancelMinedDeep, event.closed),
          ...at([6, 10], event.dropped, cancelMinedDeep, event.closed),
          ...at([16], event.closed),
        }),
      ],
    ],
  });

  const outcomes = fc.constantFrom<Outcome>(
    { kind: 'waiting' },
    { kind: 'mined', block, failed: false },
    { kind: 'mined', block: elsewhere, failed: true },
    { kind: 'canceled', block },
    { kind: 'replaced' },
  );
  it('ends as the chain does, whatever was seen on the way, and says nothing twice', () =>
    fc.assert(
      fc.property(fc.array(outcomes), outcomes, (seenBefore, last) => {
        const history: TransactionEvent[] = [...cancelSent];
        const look = (outcome: Outcome, isDeep: boolean) => {
          const events = decide(transaction, fold(transaction, history), observe(outcome, isDeep));
          history.push(...events);
          return events;
        };
        for (const outcome of seenBefore) {
          look(outcome, false);
          assert.deepEqual(look(outcome, false), []);
        }
        look(last, true);
        const ended = { waiting: 'canceling', mined: 'confirmed', canceled: 'canceled', replaced: 'replaced' }[
          last.kind
        ];
        const { state, isFinal } = fold(transaction, history);
        assert.equal(state, last.kind === 'mined' && last.failed ? 'failed' : ended);
        assert.equal(isFinal, last.kind !== 'waiting');
        assert.deepEqual(look({ kind: 'waiting' }, false), isFinal ? [] : look({ kind: 'waiting' }, false));
      }),
    ));
});
