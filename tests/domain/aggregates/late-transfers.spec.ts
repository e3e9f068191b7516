import assert from 'node:assert/strict';
import { type LedgerEvent, ledger } from '../../../domain/aggregates/ledger.js';
import { decide, fold } from '../../../domain/decider.js';
import {
  closed,
  coin,
  confirmed,
  dropped,
  due,
  observed,
  of,
  openlyUnread,
  paid,
  settled,
  settledOpen,
  transfers,
  unread,
} from '../../support/histories/ledger-events.js';

const late = { transfer: { ...paid, transaction: '0xt3', asset: coin }, own: ['0xaa'] };
const found: LedgerEvent = { type: 'TransferObserved', data: { ...of, ...late } };
const observe = (isLate: boolean) =>
  ({ type: 'Observe', data: { ...of, transfers: [...transfers, late], touches: [], late: isLate } }) as const;

const standing = {
  pending: observed,
  open: [...observed, ...settledOpen],
  closed: [...observed, ...settledOpen, closed],
  confirmed: [...observed, ...settled],
  unread: [...observed, ...confirmed, unread],
  'unread and closed': [...observed, ...confirmed, openlyUnread, closed],
};

describe('a transfer that is found after its block was observed', () => {
  for (const [state, past] of Object.entries(standing))
    it(`is added alone to an activity that is ${state}, and once`, () => {
      assert.deepEqual(decide(ledger, fold(ledger, past), observe(true)), [found]);
      assert.deepEqual(decide(ledger, fold(ledger, [...past, found]), observe(true)), []);
    });

  it('is added to a confirmed block only by whoever reads it again for that', () =>
    assert.deepEqual(decide(ledger, fold(ledger, standing.closed), observe(false)), []));

  it('comes with all others into a block that was dropped or not observed', () => {
    for (const past of [[], due, [...observed, ...dropped(false)]])
      assert.deepEqual(decide(ledger, fold(ledger, past), observe(true)), [...observed.slice(0, 2), found]);
  });

  it('is the only one that is confirmed and told of then', () => {
    const again = fold(ledger, [...standing.closed, found]);
    assert.deepEqual([again.phase, again.notified], ['pending', 2]);
    const { transaction, index, failed } = late.transfer;
    assert.deepEqual(decide(ledger, again, { type: 'Confirm', data: { ...of, open: true } }), [
      { type: 'TransferConfirmed', data: { ...of, transaction, index, failed } },
      openlyUnread,
    ]);
  });

  it('is told of together with those that nobody was told of yet', () => {
    assert.equal(fold(ledger, [...standing.open, found]).notified, 0);
    assert.equal(fold(ledger, [...standing.confirmed, found]).notified, 2);
    assert.equal(fold(ledger, [...standing.closed, found, ...dropped(true)]).notified, 0);
  });

  it('keeps its activity open when webhooks were notified of the others only', () => {
    const open = fold(ledger, [...standing.open, found, openlyUnread]);
    assert.deepEqual(decide(ledger, open, { type: 'Close', data: { ...of, count: 2 } }), []);
    assert.deepEqual(decide(ledger, open, { type: 'Close', data: { ...of, count: 3 } }), [closed]);
  });
});
