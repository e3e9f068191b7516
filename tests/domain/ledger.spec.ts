import assert from 'node:assert/strict';
import { type Asset, assetKey } from '../../domain/asset.js';
import { contract } from '../../domain/contract.js';
import { fold } from '../../domain/decider.js';
import {
  distinct,
  type Ledger,
  type LedgerCommand,
  type LedgerEvent,
  ledger,
  type Transfer,
} from '../../domain/ledger.js';
import { token } from '../../domain/token.js';
import { check, emits, nothing, refused } from '../support/matrix.js';

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
    ...touches.map((one) => ({ type: 'BalanceTouched' as const, data: { ...of, ...one } })),
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
      ['Refresh', { type: 'Refresh', data: { walletId: 'wal_1', balances, at } }, ...everywhere(read)],
    ],
  });

  it('counts the balances of its own addresses, of touched ones and of no transfer that failed', () =>
    assert.deepEqual(fold(ledger, observed).holdings, [
      { address: '0xaa', asset: native },
      { address: '0xbb', asset: native },
      { address: '0xdd', asset: native },
    ]));
  it('remembers after a drop which balances to correct', () =>
    assert.deepEqual(fold(ledger, due), { ...fold(ledger, observed), phase: 'due', drops: 1, owed: true }));
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

describe('contract', () => {
  const data = { contract: '0xcc', standard: 'erc20', description: { symbol: 'C', decimals: 6 } } as const;
  const renamed = { ...data, description: { symbol: 'D' } } as const;
  const nft = { contract: '0xcc', standard: 'erc721', description: {} } as const;
  const registered = { type: 'ContractRegistered', data } as const;
  const registeredNft = { type: 'ContractRegistered', data: nft } as const;
  const removed = { type: 'ContractRemoved', data: { contract: '0xcc' } } as const;
  const taken = refused('ALREADY_EXISTS', '0xcc is registered with another contract_type');
  check(contract, {
    pasts: {
      none: [],
      'registered as erc20': [registered],
      'registered as erc721': [registeredNft],
      removed: [registered, removed],
      'registered again as erc721': [registered, removed, registeredNft],
    },
    rows: [
      ['Register as erc20', { type: 'Register', data }, emits(registered), nothing, taken, emits(registered), taken],
      [
        'Register as erc20 under another name',
        { type: 'Register', data: renamed },
        emits({ type: 'ContractRegistered', data: renamed } as const),
        nothing,
        taken,
        emits({ type: 'ContractRegistered', data: renamed } as const),
        taken,
      ],
      [
        'Register as erc721',
        { type: 'Register', data: nft },
        emits(registeredNft),
        taken,
        nothing,
        emits(registeredNft),
        nothing,
      ],
      [
        'Remove',
        { type: 'Remove', data: { contract: '0xcc' } },
        nothing,
        emits(removed),
        emits(removed),
        nothing,
        emits(removed),
      ],
    ],
  });
});

describe('token', () => {
  const said = (uri: string, text: string) => ({ contract: '0xcc', tokenId: '1', uri, text });
  const ask = (uri: string, text: string) => ({ type: 'Describe', data: said(uri, text) }) as const;
  const described = (uri: string, text: string) => ({ type: 'TokenDescribed', data: said(uri, text) }) as const;
  const moved = emits(described('u2', 't1'));
  check(token, {
    pasts: {
      'nothing is known': [],
      'its address is known': [described('u1', '')],
      'all is known': [described('u1', 't1')],
      'all was found bit by bit': [described('u1', ''), described('u1', 't1')],
    },
    rows: [
      ['Describe without a find', ask('', ''), nothing, nothing, nothing, nothing],
      ['Describe by address', ask('u1', ''), emits(described('u1', '')), nothing, nothing, nothing],
      [
        'Describe by address and text',
        ask('u1', 't1'),
        emits(described('u1', 't1')),
        emits(described('u1', 't1')),
        nothing,
        nothing,
      ],
      [
        'Describe by another address',
        ask('u2', ''),
        emits(described('u2', '')),
        emits(described('u2', '')),
        moved,
        moved,
      ],
      [
        'Describe by text alone',
        ask('', 't2'),
        emits(described('', 't2')),
        ...Array(3).fill(emits(described('u1', 't2'))),
      ],
    ],
  });
});
