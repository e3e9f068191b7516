import assert from 'node:assert/strict';
import { ledger } from '../../../../domain/aggregates/ledger.js';
import { fold } from '../../../../domain/decider.js';
import {
  activitySettled,
  activitySettledOpen,
  dropped,
  due,
  observed,
} from '../../../support/histories/ledger-events.js';

describe('the ledger of a dropped block', () => {
  it('keeps track of balances to correct after a drop', () =>
    assert.deepEqual(fold(ledger, due), {
      ...fold(ledger, observed),
      phase: 'due',
      drops: 1,
      owed: true,
      observed: false,
    }));
  it('starts over when a dropped block comes back, but still counts its drops', () => {
    const [first, ...rest] = observed;
    assert.ok(first);
    assert.deepEqual(fold(ledger, [...rest, ...dropped(false), first]), { ...fold(ledger, [first]), drops: 1 });
    const touched = observed.slice(-1);
    const back = [...observed, ...dropped(false), ...observed, ...dropped(false), ...touched];
    assert.deepEqual(fold(ledger, back), { ...fold(ledger, touched), drops: 2 });
  });
  it('still requires correction when the block comes back, until it is settled', () => {
    const back = [...due, ...observed];
    assert.deepEqual(fold(ledger, back), { ...fold(ledger, observed), drops: 1, owed: true });
    assert.deepEqual(fold(ledger, [...back, ...dropped(true)]).phase, 'due');
    for (const event of [activitySettled, activitySettledOpen])
      assert.equal(fold(ledger, [...back, event]).owed, false);
    assert.equal(fold(ledger, [...back, ...dropped(true), activitySettled]).owed, false);
  });
});
