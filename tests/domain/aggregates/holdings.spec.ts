import assert from 'node:assert/strict';
import { distinct } from '../../../domain/aggregates/ledger.js';
import { coin, native } from '../../support/histories/ledger-events.js';

describe('the balances that a block may have changed', () => {
  it('are listed once each, however often they changed', () => {
    const holdings = [
      { address: '0xaa', asset: coin },
      { address: '0xaa', asset: native },
      { address: '0xbb', asset: coin },
    ];
    assert.deepEqual(distinct([...holdings, ...holdings]), holdings);
    assert.deepEqual(distinct([]), []);
  });
});
