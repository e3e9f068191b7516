import assert from 'node:assert/strict';
import { type Asset, assetKey } from '../../domain/asset.js';
import { contract } from '../../domain/contract.js';
import { fold } from '../../domain/decider.js';
import { distinct, type LedgerEvent, ledger, type Transfer } from '../../domain/ledger.js';
import { token } from '../../domain/token.js';
import { check, emits, nothing, refused } from '../support/matrix.js';

const native: Asset = { standard: 'native' };
const coin: Asset = { standard: 'erc20', contract: '0xcc' };

describe('ledger', () => {
  const of = { walletId: 'wal_1', block: { number: 7, hash: '0xb7', time: 1_700_000_000, chain: '0xb0' } };
  const at = { number: 9, hash: '0xb9' };
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
  const changed = <T extends 'TransferConfirmed' | 'TransferRemoved'>(type: T) => [
    { type, data: { ...of, transaction: '0xt1', index: '0', failed: false } },
    { type, data: { ...of, transaction: '0xt2', index: '0', failed: true } },
  ];
  const read: LedgerEvent[] = balances.map((one) => ({
    type: 'BalanceRead',
    data: { walletId: 'wal_1', ...one, at },
  }));
  const reread = balances.map((one) => ({
    type: 'BalanceRead' as const,
    data: { walletId: 'wal_1', ...one, at, correction: true as const },
  }));
  const done = { type: 'ActivitySettled', data: of } as const;
  const settled = [...changed('TransferConfirmed'), ...read, done];
  const gone = (due: boolean) => ({ type: 'ActivityDropped', data: { ...of, due } }) as const;
  const dropped = [...changed('TransferRemoved'), gone(false)];
  const droppedLate = [...changed('TransferRemoved'), gone(true)];
  const corrected = [...reread, done];

  check(ledger, {
    pasts: {
      none: [],
      pending: observed,
      confirmed: [...observed, ...settled],
      dropped: [...observed, ...dropped],
      due: [...observed, ...settled, ...droppedLate],
      corrected: [...observed, ...settled, ...droppedLate, ...corrected],
      'pending again': [...observed, ...dropped, ...observed],
      'pending again after a correction': [...observed, ...settled, ...droppedLate, ...corrected, ...observed],
      'confirmed again': [...observed, ...dropped, ...observed, ...settled],
    },
    rows: [
      [
        'Observe',
        { type: 'Observe', data: { ...of, transfers, touches } },
        emits(...observed),
        nothing,
        nothing,
        emits(...observed),
        emits(...observed),
        emits(...observed),
        nothing,
        nothing,
        nothing,
      ],
      [
        'Observe of nothing',
        { type: 'Observe', data: { ...of, transfers: [], touches: [] } },
        ...Array(9).fill(nothing),
      ],
      [
        'Settle',
        { type: 'Settle', data: { ...of, balances, at } },
        nothing,
        emits(...settled),
        nothing,
        nothing,
        emits(...corrected),
        nothing,
        emits(...settled),
        emits(...settled),
        nothing,
      ],
      [
        'Settle without an answer of the node',
        { type: 'Settle', data: { ...of, balances: [], at } },
        nothing,
        emits<LedgerEvent>(...changed('TransferConfirmed'), done),
        nothing,
        nothing,
        emits<LedgerEvent>(done),
        nothing,
        emits<LedgerEvent>(...changed('TransferConfirmed'), done),
        emits<LedgerEvent>(...changed('TransferConfirmed'), done),
        nothing,
      ],
      [
        'Drop',
        { type: 'Drop', data: of },
        nothing,
        emits(...dropped),
        emits(...droppedLate),
        nothing,
        nothing,
        nothing,
        emits(...dropped),
        emits(...dropped),
        emits(...droppedLate),
      ],
      ['Refresh', { type: 'Refresh', data: { walletId: 'wal_1', balances, at } }, ...Array(9).fill(emits(...read))],
    ],
  });

  it('counts the balances of its own addresses, of touched ones and of no transfer that failed', () =>
    assert.deepEqual(fold(ledger, observed).holdings, [
      { address: '0xaa', asset: native },
      { address: '0xbb', asset: native },
      { address: '0xdd', asset: native },
    ]));
  it('remembers after a drop which balances to correct', () =>
    assert.deepEqual(fold(ledger, [...observed, ...settled, ...droppedLate]), {
      ...fold(ledger, observed),
      phase: 'due',
    }));
  it('forgets what a dropped block did when the block comes back', () => {
    const [first, ...rest] = observed;
    assert.ok(first);
    assert.deepEqual(fold(ledger, [...rest, ...dropped, first]), fold(ledger, [first]));
    const touched = observed.slice(-1);
    assert.deepEqual(fold(ledger, [...observed, ...dropped, ...touched]), fold(ledger, touched));
  });
  it('takes up a block that comes back while its correction is still due', () => {
    const due = [...observed, ...settled, ...droppedLate];
    assert.deepEqual(fold(ledger, [...due, ...observed]), fold(ledger, observed));
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
