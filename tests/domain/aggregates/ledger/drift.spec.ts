import { drift } from '../../../../domain/aggregates/ledger/drift.js';
import { check, emits, nothing } from '../../../support/histories/matrix.js';

describe('the drift of a balance', () => {
  const block = { number: 9, hash: '0x9', time: 1_700_000_009, chain: '0x0' };
  const data = {
    walletId: 'wal_1',
    block,
    address: '0xa',
    asset: { standard: 'native' },
    expected: '5',
    found: '7',
    since: 4,
  } as const;
  const drifted = { type: 'BalanceDrifted', data } as const;
  const later = { type: 'BalanceDrifted', data: { ...data, since: 9, expected: '7', found: '8' } } as const;
  check(drift, {
    states: { 'without drift': [], 'with a drift': [drifted], 'with a later drift': [drifted, later] },
    rows: [
      {
        asks: 'Record',
        command: { type: 'Record', data },
        when: { 'with a drift': nothing, otherwise: emits(drifted) },
      },
      {
        asks: 'Record a drift since the correction',
        command: { type: 'Record', data: later.data },
        when: { 'with a later drift': nothing, otherwise: emits(later) },
      },
    ],
  });
});
