import assert from 'node:assert/strict';
import { type LedgerEvent, ledger } from '../../../domain/aggregates/ledger.js';
import { decide, fold } from '../../../domain/decider.js';
import {
  closed,
  coin,
  confirmed,
  dropped,
  due,
  inBlock,
  observed,
  openlyUnread,
  paid,
  settled,
  settledOpen,
  transfers,
  unread,
} from '../../support/histories/ledger-events.js';

const late = { transfer: { ...paid, transaction: '0xt3', asset: coin }, own: ['0xaa'] };
const found: LedgerEvent = { type: 'TransferObserved', data: { ...inBlock, ...late } };
const observe = (isLate: boolean) =>
  ({ type: 'Observe', data: { ...inBlock, transfers: [...transfers, late], touches: [], late: isLate } }) as const;

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
    it(`is the only one added to an activity that is ${state}, and is added once`, () => {
      assert.deepEqual(decide(ledger, fold(ledger, past), observe(true)), [found]);
      assert.deepEqual(decide(ledger, fold(ledger, [...past, found]), observe(true)), []);
    });

  it('is added to a confirmed block only when the block is read again for that purpose', () =>
    assert.deepEqual(decide(ledger, fold(ledger, standing.closed), observe(false)), []));

  it('is observed with all others in a block that was dropped or not observed', () => {
    for (const past of [[], due, [...observed, ...dropped(false)]])
      assert.deepEqual(decide(ledger, fold(ledger, past), observe(true)), [...observed.slice(0, 2), found]);
  });

  it('is the only one that is then confirmed and notified', () => {
    const again = fold(ledger, [...standing.closed, found]);
    assert.deepEqual([again.phase, again.notified], ['pending', 2]);
    const { transaction, index, failed } = late.transfer;
    assert.deepEqual(decide(ledger, again, { type: 'Confirm', data: { ...inBlock, open: true } }), [
      { type: 'TransferConfirmed', data: { ...inBlock, transaction, index, failed } },
      openlyUnread,
    ]);
  });

  it('is notified together with transfers that were not notified yet', () => {
    assert.equal(fold(ledger, [...standing.open, found]).notified, 0);
    assert.equal(fold(ledger, [...standing.confirmed, found]).notified, 2);
    assert.equal(fold(ledger, [...standing.closed, found, ...dropped(true)]).notified, 0);
  });

  it('keeps its activity open when webhooks were notified only of the others', () => {
    const open = fold(ledger, [...standing.open, found, openlyUnread]);
    assert.deepEqual(decide(ledger, open, { type: 'Close', data: { ...inBlock, count: 2 } }), []);
    assert.deepEqual(decide(ledger, open, { type: 'Close', data: { ...inBlock, count: 3 } }), [closed]);
  });
});
