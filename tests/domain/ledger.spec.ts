import assert from 'node:assert/strict';
import { type Asset, assetKey } from '../../domain/asset.js';
import { decide, fold } from '../../domain/decider.js';
import {
  distinct,
  type Ledger,
  type LedgerCommand,
  type LedgerEvent,
  ledger,
  type Transfer,
} from '../../domain/ledger.js';
import { check, emits } from '../support/matrix.js';

const native: Asset = { standard: 'native' };
const coin: Asset = { standard: 'erc20', contract: '0xcc' };

describe('ledger', () => {
  const of = { walletId: 'wal_1', block: { number: 7, hash: '0xb7', time: 1_700_000_000, chain: '0xb0' } };
  const at = { number: 9, hash: '0xb9', chain: '0xb0' };
  const paid: Transfer = {
    transaction: '0xt1',
    index: '0',
    asset: native,
    from: '0xaa',
    to: '0xbb',
    value: '5',
    fee: '1',
    failed: false,
    details: { nonce: '3' },
  };
  const reverted: Transfer = { ...paid, transaction: '0xt2', asset: coin, failed: true };
  const transfers = [
    { transfer: paid, own: ['0xaa', '0xbb'] },
    { transfer: reverted, own: ['0xaa'] },
  ];
  const touches = [{ address: '0xdd', reason: 'withdrawal' }];
  const balances = [
    { address: '0xaa', asset: native, balance: '94' },
    { address: '0xbb', asset: native, balance: '5' },
  ];

  const observed: LedgerEvent[] = [
    ...transfers.map((one) => ({ type: 'TransferObserved' as const, data: { ...of, ...one } })),
    ...touches.map((one) => ({ type: 'BalanceTouched' as const, data: { ...of, ...one, asset: native } })),
  ];
  const changed = (type: 'TransferConfirmed' | 'TransferRemoved'): LedgerEvent[] => [
    { type, data: { ...of, transaction: '0xt1', index: '0', failed: false } },
    { type, data: { ...of, transaction: '0xt2', index: '0', failed: true } },
  ];
  const readings = (correction?: true): LedgerEvent[] =>
    balances.map((one) => ({
      type: 'BalanceRead',
      data: { walletId: 'wal_1', ...one, at, ...(correction && { correction }) },
    }));
  const [read, reread] = [readings(), readings(true)];
  const confirmed = changed('TransferConfirmed');
  const done: LedgerEvent = { type: 'ActivitySettled', data: of };
  const openly: LedgerEvent = { type: 'ActivitySettled', data: { ...of, open: true } };
  const closed: LedgerEvent = { type: 'ActivityClosed', data: of };
  const dropped = (due: boolean): LedgerEvent[] => [
    ...changed('TransferRemoved'),
    { type: 'ActivityDropped', data: { ...of, due } },
  ];
  const settled = [...confirmed, ...read, done];
  const settledOpen = [...confirmed, ...read, openly];
  const corrected = [...reread, done];
  /** It counted, was replaced, and its balances are not corrected yet. */
  const due = [...observed, ...settled, ...dropped(true)];

  const pasts = {
    none: [],
    pending: observed,
    open: [...observed, ...settledOpen],
    closed: [...observed, ...settledOpen, closed],
    confirmed: [...observed, ...settled],
    dropped: [...observed, ...dropped(false)],
    due,
    'due since somebody was told': [...observed, ...dropped(true)],
    corrected: [...due, ...corrected],
    'pending again': [...observed, ...dropped(false), ...observed],
    'pending again while a correction is owed': [...due, ...observed],
    'pending again after a correction': [...due, ...corrected, ...observed],
    'confirmed again': [...observed, ...dropped(false), ...observed, ...settled],
    'confirmed again with the correction': [...due, ...observed, ...confirmed, ...corrected],
    'open again with the correction': [...due, ...observed, ...confirmed, ...reread, openly],
    'due again': [...due, ...observed, ...dropped(true)],
  };
  /** One cell per past; nothing changes in those that are left out. */
  const cells = (found: Partial<Record<keyof typeof pasts, LedgerEvent[]>>) =>
    Object.keys(pasts).map((past) => emits(...(found[past as keyof typeof pasts] ?? [])));
  const everywhere = (events: LedgerEvent[]) => Object.keys(pasts).map(() => emits(...events));
  const settlement = (found: LedgerEvent[], again: LedgerEvent[], last: LedgerEvent) => {
    const [counted, fixed] = [
      [...confirmed, ...found, last],
      [...again, done],
    ];
    return cells({
      pending: counted,
      due: fixed,
      'due since somebody was told': fixed,
      'pending again': counted,
      'pending again while a correction is owed': [...confirmed, ...again, last],
      'pending again after a correction': counted,
      'due again': fixed,
    });
  };

  const onRequest: LedgerEvent[] = [
    ...balances.map(({ address, asset }) => ({
      type: 'BalanceTouched' as const,
      data: { ...of, address, asset, reason: 'refresh' },
    })),
    ...balances.map((one) => ({
      type: 'BalanceRead' as const,
      data: { walletId: 'wal_1', ...one, at: { number: 7, hash: '0xb7', chain: '0xb0' } },
    })),
  ];
  const refreshed = cells({
    none: [...onRequest, done],
    pending: onRequest,
    open: [...onRequest, openly],
    closed: [...onRequest, done],
    confirmed: [...onRequest, done],
    'pending again': onRequest,
    'pending again while a correction is owed': onRequest,
    'pending again after a correction': onRequest,
    'confirmed again': [...onRequest, done],
    'confirmed again with the correction': [...onRequest, done],
    'open again with the correction': [...onRequest, openly],
  });

  const touchedOnRequest = onRequest.filter(({ type }) => type === 'BalanceTouched');
  const awaited = refreshed.map((cell) => emits(...('emits' in cell && cell.emits.length > 0 ? touchedOnRequest : [])));

  it('reads balances that were asked for when their block is confirmed, and also when it is replaced', () => {
    const asked = fold(ledger, touchedOnRequest);
    assert.deepEqual([asked.phase, asked.holdings.length], ['pending', 2]);
    assert.deepEqual(decide(ledger, asked, { type: 'Settle', data: { ...of, balances, at, open: false } }), [
      ...read,
      done,
    ]);
    const drop = { type: 'Drop', data: { ...of, told: false } } as const;
    assert.deepEqual(decide(ledger, asked, drop), [{ type: 'ActivityDropped', data: { ...of, due: true } }]);
    const back = fold(ledger, [...touchedOnRequest, ...dropped(true).slice(-1), done, ...observed]);
    assert.deepEqual(decide(ledger, back, drop), dropped(false));
  });

  it('observes a block in which balances were only read on request, and keeps both', () => {
    const past = [...onRequest, done];
    const state = fold(ledger, past);
    const command = { type: 'Observe', data: { ...of, transfers, touches } } as const;
    assert.deepEqual(decide(ledger, state, command), observed);
    assert.equal(fold(ledger, [...past, ...observed]).holdings.length, 5);
    assert.deepEqual(decide(ledger, fold(ledger, [...past, ...observed]), command), []);
  });

  check<LedgerCommand, LedgerEvent, Ledger>(ledger, {
    pasts,
    rows: [
      [
        'Observe',
        { type: 'Observe', data: { ...of, transfers, touches } },
        ...cells({
          none: observed,
          dropped: observed,
          due: observed,
          'due since somebody was told': observed,
          corrected: observed,
          'due again': observed,
        }),
      ],
      ['Observe of nothing', { type: 'Observe', data: { ...of, transfers: [], touches: [] } }, ...everywhere([])],
      ['Settle', { type: 'Settle', data: { ...of, balances, at, open: false } }, ...settlement(read, reread, done)],
      [
        'Settle while somebody is to be told',
        { type: 'Settle', data: { ...of, balances, at, open: true } },
        ...settlement(read, reread, openly),
      ],
      [
        'Settle without an answer of the node',
        { type: 'Settle', data: { ...of, balances: [], at, open: false } },
        ...settlement([], [], done),
      ],
      ['Close', { type: 'Close', data: of }, ...cells({ open: [closed], 'open again with the correction': [closed] })],
      ...([false, true] as const).map((told): [string, LedgerCommand, ...ReturnType<typeof cells>] => [
        told ? 'Drop of what somebody may have been told of' : 'Drop',
        { type: 'Drop', data: { ...of, told } },
        ...cells({
          pending: dropped(told),
          open: dropped(true),
          closed: dropped(true),
          confirmed: dropped(true),
          'pending again': dropped(told),
          'pending again while a correction is owed': dropped(true),
          'pending again after a correction': dropped(told),
          'confirmed again': dropped(true),
          'confirmed again with the correction': dropped(true),
          'open again with the correction': dropped(true),
        }),
      ]),
      ['Refresh', { type: 'Refresh', data: { ...of, balances } }, ...refreshed],
      ['Await', { type: 'Await', data: { ...of, holdings: balances } }, ...awaited],
    ],
  });

  it('counts the balances of its own addresses, of touched ones and of no transfer that failed', () =>
    assert.deepEqual(fold(ledger, observed).holdings, [
      { address: '0xaa', asset: native },
      { address: '0xbb', asset: native },
      { address: '0xdd', asset: native },
    ]));
  it('remembers after a drop which balances to correct', () =>
    assert.deepEqual(fold(ledger, due), {
      ...fold(ledger, observed),
      phase: 'due',
      drops: 1,
      owed: true,
      observed: false,
    }));
  it('forgets what a dropped block did when the block comes back, but not how often it was dropped', () => {
    const [first, ...rest] = observed;
    assert.ok(first);
    assert.deepEqual(fold(ledger, [...rest, ...dropped(false), first]), { ...fold(ledger, [first]), drops: 1 });
    const touched = observed.slice(-1);
    const back = [...observed, ...dropped(false), ...observed, ...dropped(false), ...touched];
    assert.deepEqual(fold(ledger, back), { ...fold(ledger, touched), drops: 2 });
  });
  it('takes up a block that comes back while its correction is still due, and owes it until it is settled', () => {
    const back = [...due, ...observed];
    assert.deepEqual(fold(ledger, back), { ...fold(ledger, observed), drops: 1, owed: true });
    assert.deepEqual(fold(ledger, [...back, ...dropped(true)]).phase, 'due');
    for (const event of [done, openly]) assert.equal(fold(ledger, [...back, event]).owed, false);
    assert.equal(fold(ledger, [...back, ...dropped(true), done]).owed, false);
  });
  it('is open until everybody was told', () => {
    assert.equal(fold(ledger, pasts.open).phase, 'open');
    assert.deepEqual(fold(ledger, pasts.closed), fold(ledger, pasts.confirmed));
  });
  it('reads each balance once, however often it was changed', () => {
    const holdings = [
      { address: '0xaa', asset: coin },
      { address: '0xaa', asset: native },
      { address: '0xbb', asset: coin },
    ];
    assert.deepEqual(distinct([...holdings, ...holdings]), holdings);
    assert.deepEqual(distinct([]), []);
  });
});

describe('asset', () => {
  it('has a key of its own', () => {
    const all: Asset[] = [
      native,
      coin,
      { standard: 'erc20', contract: '0xcd' },
      { standard: 'erc721', contract: '0xcc', tokenId: '1' },
      { standard: 'erc721', contract: '0xcc', tokenId: '2' },
      { standard: 'erc1155', contract: '0xcc', tokenId: '1' },
    ];
    assert.equal(new Set(all.map(assetKey)).size, all.length);
  });
});
