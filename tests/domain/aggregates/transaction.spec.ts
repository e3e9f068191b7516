import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type Outcome,
  type Transaction,
  type TransactionCommand,
  type TransactionEvent,
  transaction,
} from '../../../domain/aggregates/transaction.js';
import { decide, fold } from '../../../domain/decider.js';
import { check, emits, nothing, refused } from '../../support/histories/matrix.js';
import { outcomeRows } from './transaction-outcomes.js';
import {
  at,
  block,
  cancellationMined,
  cancellationRefused,
  cancellationSent,
  cancellationSigned,
  cancelSent,
  cancelSignature,
  changed,
  created,
  elsewhere,
  event,
  included,
  named,
  observe,
  orNothing,
  orWrongState,
  type State,
  signature,
  states,
} from './transaction-states.js';

describe('a transaction', () => {
  check<TransactionCommand, TransactionEvent, Transaction, State>(transaction, {
    states,
    rows: [
      {
        asks: 'Create',
        command: { type: 'Create', data: created },
        when: {
          unknown: emits(event.created),
          otherwise: refused('ALREADY_EXISTS', 'Transaction already exists: tx_1'),
        },
      },
      {
        asks: 'Sign',
        command: { type: 'Sign', data: signature },
        when: orWrongState('signed', {
          created: emits(event.signed),
          signed: nothing,
          refused: nothing,
          'being canceled': emits({ type: 'CancellationSigned', data: signature }),
        }),
      },
      {
        asks: 'Sign of the cancellation',
        command: { type: 'Sign', data: cancelSignature },
        when: orWrongState('signed', {
          created: emits({ type: 'TransactionSigned', data: cancelSignature }),
          'being canceled': emits(event.cancelSigned),
          [cancellationSigned]: nothing,
          [cancellationSent]: nothing,
          [cancellationRefused]: nothing,
        }),
      },
      {
        asks: 'Send',
        command: { type: 'Send', data: named },
        when: orWrongState('sent', {
          signed: emits(event.sent),
          sent: nothing,
          'sent and in a mempool': nothing,
          refused: emits(event.sent),
          mined: nothing,
          dropped: nothing,
          confirmed: nothing,
          'finally confirmed': nothing,
          'being canceled': refused(
            'FAILED_PRECONDITION',
            'The cancellation of transaction tx_1 is not signed. Submit its signature before sending it.',
          ),
          [cancellationSigned]: emits(event.cancelSent),
          [cancellationSent]: nothing,
          [cancellationRefused]: emits(event.cancelSent),
        }),
      },
      {
        asks: 'Take',
        command: { type: 'Take', data: named },
        when: orNothing(
          at(['sent', 'dropped', 'replaced', cancellationSent, cancellationMined, ...included], event.taken),
        ),
      },
      {
        asks: 'Refuse',
        command: { type: 'Refuse', data: { ...named, reason: 'underpriced' } },
        when: orNothing({ sent: emits(event.refused), [cancellationSent]: emits(event.cancelRefused) }),
      },
      {
        asks: 'Cancel',
        command: { type: 'Cancel', data: named },
        when: orWrongState('canceled', {
          ...at(['created', 'signed', 'refused'], event.canceled),
          sent: changed,
          'sent and in a mempool': changed,
          dropped: changed,
          [cancellationRefused]: changed,
        }),
      },
      {
        asks: 'RequestCancel',
        command: { type: 'RequestCancel', data: { ...named, gasPrice: '9' } },
        when: orWrongState('canceled', {
          signed: changed,
          refused: changed,
          ...at(['sent', 'sent and in a mempool', 'dropped', cancellationRefused], event.cancelRequested),
        }),
      },
      ...outcomeRows,
    ],
  });

  const outcomes = fc.constantFrom<Outcome>(
    { kind: 'waiting' },
    { kind: 'mined', block, failed: false },
    { kind: 'mined', block: elsewhere, failed: true },
    { kind: 'canceled', block },
    { kind: 'replaced' },
  );
  it('ends in the last state observed on the chain, and emits nothing for a repeated observation', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(outcomes, fc.constantFrom(1, 3))), outcomes, (seenBefore, last) => {
        const history: TransactionEvent[] = [...cancelSent];
        const look = (outcome: Outcome, confirmations: number) => {
          const events = decide(transaction, fold(transaction, history), observe(outcome, confirmations));
          history.push(...events);
          return events;
        };
        for (const [outcome, confirmations] of seenBefore) {
          look(outcome, confirmations);
          assert.deepEqual(look(outcome, confirmations), []);
        }
        look(last, 64);
        const ended = { waiting: 'canceling', mined: 'confirmed', canceled: 'canceled', replaced: 'replaced' }[
          last.kind
        ];
        const { state, isFinal } = fold(transaction, history);
        assert.equal(state, last.kind === 'mined' && last.failed ? 'failed' : ended);
        assert.equal(isFinal, last.kind !== 'waiting');
        assert.deepEqual(look({ kind: 'waiting' }, 0), []);
      }),
    ));
});
