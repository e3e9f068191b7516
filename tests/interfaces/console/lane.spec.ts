import assert from 'node:assert/strict';
import { laneOf } from '../../../interfaces/console/transactions/lane.js';
import type { ManagedTransaction } from '../../../sdk/typescript/src/generated.js';

type Given = readonly [nonce: number, state: string, isMined?: 'mined'];

const places = (given: readonly Given[]) =>
  laneOf(
    given.map(
      ([nonce, state, isMined]) =>
        ({
          nonce: String(nonce),
          transaction_state: `TRANSACTION_STATE_${state}`,
          ...(isMined && { mine_time: '2026-01-01T00:00:00.000Z' }),
        }) as ManagedTransaction,
    ),
  ).map((place) =>
    place.kind === 'held'
      ? `${place.nonce} ${place.transactions.map((one) => one.transaction_state.slice('TRANSACTION_STATE_'.length))}`
      : `${place.first}-${place.last} ${place.kind}`,
  );

describe('the lane of a sender', () => {
  it('orders transactions by nonce, whatever their order', () =>
    assert.deepEqual(
      places([
        [10, 'SENT'],
        [9, 'CONFIRMED'],
      ]),
      ['9 CONFIRMED', '10 SENT'],
    ));

  it('shows a missing nonce above all that blocks contain as a gap', () =>
    assert.deepEqual(
      places([
        [4, 'CONFIRMED'],
        [6, 'SENT'],
        [9, 'CREATED'],
      ]),
      ['4 CONFIRMED', '5-5 gap', '6 SENT', '7-8 gap', '9 CREATED'],
    ));

  it('shows a missing nonce below one that a block contains as used elsewhere', () =>
    assert.deepEqual(
      places([
        [1, 'CONFIRMED'],
        [4, 'MINED'],
      ]),
      ['1 CONFIRMED', '2-3 elsewhere', '4 MINED'],
    ));

  it('shows a nonce as free whose transaction was canceled before it was sent, but not one whose cancellation was mined', () =>
    assert.deepEqual(
      places([
        [1, 'CONFIRMED'],
        [2, 'CANCELED', 'mined'],
        [3, 'CANCELED'],
        [4, 'CREATED'],
      ]),
      ['1 CONFIRMED', '2 CANCELED', '3-3 gap', '4 CREATED'],
    ));

  it('shows a transaction and its replacement at one nonce, the more certain one first', () =>
    assert.deepEqual(
      places([
        [1, 'CREATED'],
        [1, 'SENT'],
      ]),
      ['1 SENT,CREATED'],
    ));

  it('is empty without transactions', () => assert.deepEqual(places([]), []));
});
