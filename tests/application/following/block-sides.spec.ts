import assert from 'node:assert/strict';
import { entriesOf } from '../../../application/following/block-entries.js';
import type { Block, Movement } from '../../../application/ports/chain.js';
import type { Metadata } from '../../../application/ports/event-store.js';
import { createWatchIndex } from '../../../application/watch-list/watch-index.js';
import type { WatchList } from '../../../application/watch-list/watch-list.js';
import { accountOf } from '../../support/chains/ton-transactions.js';

const [anna, bert, master, account] = ['anna', 'bert', 'master', 'account'].map(accountOf) as [
  string,
  string,
  string,
  string,
];
const asset = { standard: 'token', contract: master } as const;
const walletId = 'wal_1';

describe('the entries of a block that records a transfer for each side', () => {
  const watching = (...events: [type: string, data: object][]) => {
    const watched = createWatchIndex('T', 7);
    for (const [type, data] of events) {
      const metadata = { organizationId: 'org_a', variant: 'T' } as Metadata;
      watched.apply({
        id: '',
        type,
        data: { walletId, ...data },
        stream: '',
        position: 1,
        time: 1,
        bytes: 0,
        metadata,
      });
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

  it('give each record only to the holder of its side, without the side', () => {
    const [{ transfers } = assert.fail('there is no entry'), ...others] = entries(watching(...both), [
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

  it('include every claim on a token account, until the wallet that made it removes the address', () => {
    const claims: [string, object][] = [anna, bert].map((address) => ['AssetImported', { address, asset, account }]);
    const owners = (...more: [string, object][]) =>
      watching(...both, ...claims, ...more)
        .tokenAccounts(account)
        .map(({ owner }) => owner);
    assert.deepEqual(owners(), [anna, bert]);
    assert.deepEqual(owners(['AddressRemoved', { address: anna }]), [bert]);
    assert.deepEqual(owners(['AddressRemoved', { address: bert }], ['AddressRemoved', { address: anna }]), []);
  });

  it("include the owner of a token account until the owner's address is removed", () => {
    const imported: [string, object] = ['AssetImported', { address: anna, asset, account }];
    const watched = watching(...both, imported);
    assert.deepEqual(
      watched.tokenAccounts(account).map(({ owner }) => owner),
      [anna],
    );
    assert.deepEqual(watched.tokenAccounts(anna), []);
    const touch = { address: anna, asset, reason: 'fee' } as const;
    const token = moved('from', { asset });
    assert.deepEqual(entries(watched, [token], [touch, { ...touch, address: bert }])[0]?.touches, [touch]);
    const left = watching(...both, imported, ['AddressRemoved', { address: anna }]);
    assert.deepEqual(entries(left, [token], [touch]), []);
  });
});
