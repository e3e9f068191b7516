import assert from 'node:assert/strict';
import { entriesOf } from '../../../application/following/block-entries.js';
import type { Block, Movement } from '../../../application/ports/chain.js';
import type { Metadata } from '../../../application/ports/event-store.js';
import { createWatched } from '../../../application/watch-list/watch-index.js';
import type { WatchList } from '../../../application/watch-list/watch-list.js';
import { accountOf } from '../../support/ton-transactions.js';

const [anna, bert, master, account] = ['anna', 'bert', 'master', 'account'].map(accountOf) as [
  string,
  string,
  string,
  string,
];
const asset = { standard: 'token', contract: master } as const;
const walletId = 'wal_1';

describe('transfers with a record for each side', () => {
  const watching = (...events: [type: string, data: object][]) => {
    const watched = createWatched('T', 7);
    for (const [type, data] of events) {
      const metadata = { organizationId: 'org_a', variant: 'T' } as Metadata;
      watched.apply({ id: '', type, data: { walletId, ...data }, stream: '', position: 1, time: 1, metadata });
    }
    return watched;
  };
  const entries = (watched: ReturnType<typeof watching>, movements: Movement[], touches: Block['touches'] = []) => {
    const block = { number: 1, hash: '', parentHash: '', time: 1, movements, touches };
    return entriesOf(block, watched as unknown as WatchList);
  };
  const moved = (side: 'from' | 'to', changes: Partial<Movement> = {}): Movement => ({
    transaction: side,
    index: 'in',
    asset: { standard: 'native' },
    from: anna,
    to: bert,
    value: '5',
    fee: '1',
    failed: false,
    side,
    details: {},
    ...changes,
  });
  const both = [
    ['AddressRegistered', { address: anna }],
    ['AddressRegistered', { address: bert }],
  ] as [string, object][];

  it('are told to the holder of that side alone, without saying so', () => {
    const [{ transfers } = assert.fail('nobody is told'), ...others] = entries(watching(...both), [
      moved('from'),
      moved('to'),
      moved('to', { to: anna, transaction: 'self' }),
    ]);
    assert.deepEqual(others, []);
    assert.deepEqual(
      transfers.map(({ transfer, own }) => [transfer.transaction, own]),
      [
        ['from', [anna]],
        ['to', [bert]],
        ['self', [anna]],
      ],
    );
    assert(transfers.every(({ transfer }) => !('side' in transfer)));
    const only = entries(watching(['AddressRegistered', { address: bert }]), [moved('from')]);
    assert.deepEqual(only, []);
  });

  it('know whose tokens an account keeps, until the address is given up', () => {
    const imported: [string, object] = ['AssetImported', { address: anna, asset, account }];
    const watched = watching(...both, imported);
    assert.deepEqual(watched.tokenAccount(account), { owner: anna, asset });
    assert.equal(watched.tokenAccount(anna), null);
    const touch = { address: anna, asset, reason: 'fee' } as const;
    const token = moved('from', { asset });
    assert.deepEqual(entries(watched, [token], [touch, { ...touch, address: bert }])[0]?.touches, [touch]);
    const left = watching(...both, imported, ['AddressRemoved', { address: anna }]);
    assert.deepEqual(entries(left, [token], [touch]), []);
  });
});
