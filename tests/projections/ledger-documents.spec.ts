import assert from 'node:assert/strict';
import type { Asset } from '../../domain/asset.js';
import type { Transfer } from '../../domain/ledger.js';
import { assets } from '../../projections/assets.js';
import { contracts } from '../../projections/contracts.js';
import { tokenKey, tokens } from '../../projections/tokens.js';
import { momentAt, transfers } from '../../projections/transfers.js';
import { unsettled } from '../../projections/unsettled.js';
import { about, project } from '../support/project.js';

const walletId = 'wal_1';
const native: Asset = { standard: 'native' };
const blockAt = (number: number, fork = '') => ({
  number,
  hash: `0xb${number}${fork}`,
  time: 1000 + number,
  chain: '0xb0',
});
type Block = ReturnType<typeof blockAt>;
const [mined, other] = [blockAt(7), blockAt(8, 'x')];

const transfer: Transfer = {
  transaction: '0xt1',
  index: 'native',
  asset: native,
  from: '0xaa',
  to: '0xbb',
  value: '5',
  fee: '1',
  failed: false,
  details: { nonce: '3' },
};
const observed = (block: Block, own = ['0xaa'], what = transfer) =>
  ({ type: 'TransferObserved', data: { walletId, block, transfer: what, own } }) as const;
const change = (block: Block, failed: boolean) => ({ walletId, block, transaction: '0xt1', index: 'native', failed });
const confirmed = (block: Block, failed = false) =>
  ({ type: 'TransferConfirmed', data: change(block, failed) }) as const;
const removed = (block: Block) => ({ type: 'TransferRemoved', data: change(block, false) }) as const;

describe('transfers projection', () => {
  const shown = {
    wallet_id: 'wal_1',
    transfer,
    state: 'PENDING',
    block_number: 7,
    block_hash: '0xb7',
    block_time: 1007,
    transaction: '0xt1',
    own_from: '0xaa',
    own_to: '',
    moment: '000000001007.000000000007.0000000000000010',
    others: [],
  };
  const inclusion = (state: string, fork: 'mined' | 'other', n: number) => {
    const number = fork === 'mined' ? 7 : 8;
    return {
      state,
      block_number: number,
      block_hash: fork === 'mined' ? '0xb7' : '0xb8x',
      block_time: 1000 + number,
      moment: `00000000100${number}.00000000000${number}.00000000000000${n}0`,
    };
  };
  /** As seen by the n-th event in the other block. */
  const again = (n: number) => ({ ...shown, ...inclusion('PENDING', 'other', n) });

  it('shows a transfer that was observed', () => assert.deepEqual(project(transfers, [observed(mined)]), shown));
  it('is found by the addresses that are the wallet’s and by no other', () => {
    const found = (own: string[]) => {
      const document = project(transfers, [observed(mined, own)]);
      return [document?.own_from, document?.own_to];
    };
    assert.deepEqual(found(['0xaa']), ['0xaa', '']);
    assert.deepEqual(found(['0xbb']), ['', '0xbb']);
    assert.deepEqual(found(['0xbb', '0xaa']), ['0xaa', '0xbb']);
  });
  it('shows what was confirmed, and that it failed', () => {
    assert.deepEqual(project(transfers, [observed(mined), confirmed(mined)]), { ...shown, state: 'SUCCESS' });
    assert.deepEqual(project(transfers, [observed(mined), confirmed(mined, true)]), { ...shown, state: 'FAILED' });
  });
  it('shows what was removed, before and after it was confirmed', () => {
    const gone = { ...shown, state: 'REMOVED' };
    assert.deepEqual(project(transfers, [observed(mined), removed(mined)]), gone);
    assert.deepEqual(project(transfers, [observed(mined), confirmed(mined), removed(mined)]), gone);
  });
  it('makes no transfer of a change alone', () => {
    assert.equal(project(transfers, [confirmed(mined)]), null);
    assert.equal(project(transfers, [removed(mined)]), null);
  });

  const first = observed(mined);
  const seen = { transfer, own_from: shown.own_from, own_to: shown.own_to };
  it('shows a transaction that was mined again in its new block', () =>
    assert.deepEqual(project(transfers, [first, removed(mined), observed(other)]), again(3)));
  it('is not told of by the block that was replaced, once it is mined again', () => {
    assert.deepEqual(project(transfers, [first, observed(other)]), {
      ...again(2),
      others: [{ ...seen, ...inclusion('PENDING', 'mined', 1) }],
    });
    assert.deepEqual(project(transfers, [first, observed(other), removed(mined)]), again(2));
    assert.deepEqual(project(transfers, [first, observed(other), confirmed(mined)]), {
      ...again(2),
      others: [{ ...seen, ...inclusion('SUCCESS', 'mined', 1) }],
    });
    const done = { ...again(2), state: 'SUCCESS' };
    assert.deepEqual(project(transfers, [first, observed(other), removed(mined), confirmed(other)]), done);
    assert.deepEqual(project(transfers, [first, observed(other), confirmed(other), removed(mined)]), done);
  });
  it('stands by the other block when the one that was observed late turns out to be replaced', () => {
    const late = [observed(other), observed(mined), removed(mined)] as const;
    assert.deepEqual(project(transfers, late), again(1));
    assert.deepEqual(project(transfers, [...late, confirmed(other)]), { ...again(1), state: 'SUCCESS' });
    const early = [observed(other), observed(mined), confirmed(other), removed(mined)] as const;
    assert.deepEqual(project(transfers, early), { ...again(1), state: 'SUCCESS' });
    const none = [...late, confirmed(other), removed(other)] as const;
    assert.deepEqual(project(transfers, none), { ...again(1), state: 'REMOVED' });
  });
  it('stands in a block once, however often that is observed', () => {
    const twice = [observed(other), first, observed(other)] as const;
    const others = [{ ...seen, ...inclusion('PENDING', 'mined', 2) }];
    assert.deepEqual(project(transfers, twice), { ...again(3), others });
    assert.deepEqual(project(transfers, [first, first]), { ...shown, ...inclusion('PENDING', 'mined', 2) });
  });
  it('follows a transaction from block to block and back', () => {
    const away = [first, confirmed(mined), removed(mined), observed(other)] as const;
    const back = [...away, removed(other), observed(mined)] as const;
    const moment = '000000001007.000000000007.0000000000000060';
    assert.deepEqual(project(transfers, back), { ...shown, moment });
    assert.deepEqual(project(transfers, [...back, confirmed(mined)]), { ...shown, moment, state: 'SUCCESS' });
  });
  it('shows what the new block made of it', () => {
    const reverted = { ...transfer, failed: true };
    const document = project(transfers, [first, removed(mined), observed(other, ['0xaa'], reverted)]);
    assert.deepEqual(document, { ...again(3), transfer: reverted });
  });

  it('sorts by the time of the block, then by its height, then as observed', () => {
    const moments = [blockAt(7), { ...blockAt(8), time: 1007 }, { ...blockAt(9), time: 1007 }, blockAt(1000)].map(
      (block) => project(transfers, [observed(block)])?.moment ?? '',
    );
    const later = project(transfers, [removed(mined), observed(blockAt(1000))])?.moment ?? '';
    const all = [...moments, later];
    assert.deepEqual(
      all.toSorted((a, b) => (a < b ? -1 : 1)),
      all,
    );
    assert.equal(new Set(all).size, all.length);
  });
  it('begins a second before everything that happened in it', () => {
    const moment = project(transfers, [observed(mined)])?.moment ?? '';
    assert.ok(momentAt(1007) < moment && moment < momentAt(1008));
  });
  it('has a document for each wallet and transfer, whichever the block', () => {
    const id = 'wal_1|0xt1|native';
    assert.deepEqual([observed(mined), observed(other), confirmed(other), removed(mined)].map(transfers.key), [
      id,
      id,
      id,
      id,
    ]);
    assert.equal(transfers.scope(about(1)), 'org_1/S');
  });
});

describe('assets projection', () => {
  const read = (number: number, balance: string, correction?: true, chain = '0xb0') =>
    ({
      type: 'BalanceRead',
      data: {
        walletId,
        address: '0xaa',
        asset: native,
        balance,
        at: { number, hash: `0xb${number}`, chain },
        ...(correction && { correction }),
      },
    }) as const;
  const shown = (balance: string, block_number: number, n: number, chain = '0xb0') => ({
    wallet_id: 'wal_1',
    address: '0xaa',
    asset: native,
    standard: 'native',
    balance,
    block_number,
    chain,
    read_position: n * 10,
    position: 10,
  });

  it('shows a balance that was read', () => assert.deepEqual(project(assets, [read(7, '5')]), shown('5', 7, 1)));
  it('shows a later balance in the same place of the list', () =>
    assert.deepEqual(project(assets, [read(7, '5'), read(9, '6')]), shown('6', 9, 2)));
  it('shows the second of two balances of one height', () =>
    assert.deepEqual(project(assets, [read(7, '5'), read(7, '6')]), shown('6', 7, 2)));
  it('ignores a reading that was stored late', () =>
    assert.deepEqual(project(assets, [read(9, '6'), read(7, '5'), read(8, '4')]), shown('6', 9, 1)));
  it('is corrected at a lower height', () =>
    assert.deepEqual(project(assets, [read(9, '6'), read(7, '5', true)]), shown('5', 7, 2)));
  it('goes on from the height of the correction', () => {
    const corrected = [read(9, '6'), read(7, '5', true)];
    assert.deepEqual(project(assets, [...corrected, read(6, '1')]), shown('5', 7, 2));
    assert.deepEqual(project(assets, [...corrected, read(8, '4')]), shown('4', 8, 3));
    assert.deepEqual(project(assets, [...corrected, read(6, '3', true)]), shown('3', 6, 3));
  });
  it('is replaced by a balance of another chain, however low', () => {
    const [old, anew] = [read(900, '6'), read(2, '1', undefined, '0xc0')];
    assert.deepEqual(project(assets, [old, anew]), shown('1', 2, 2, '0xc0'));
    assert.deepEqual(project(assets, [old, anew, read(1, '9', undefined, '0xc0')]), shown('1', 2, 2, '0xc0'));
    assert.deepEqual(project(assets, [old, anew, read(3, '4', undefined, '0xc0')]), shown('4', 3, 3, '0xc0'));
  });
  it('is corrected before anything else was read', () =>
    assert.deepEqual(project(assets, [read(7, '5', true)]), shown('5', 7, 1)));
  it('shows that nothing is left', () =>
    assert.deepEqual(project(assets, [read(7, '5'), read(8, '0')]), shown('0', 8, 2)));

  it('has a document for each wallet, address and asset', () => {
    const all: Asset[] = [
      native,
      { standard: 'erc20', contract: '0xcc' },
      { standard: 'erc721', contract: '0xcc', tokenId: '1' },
      { standard: 'erc1155', contract: '0xcc', tokenId: '1' },
    ];
    const keys = all.map((asset) => assets.key({ ...read(7, '5'), data: { ...read(7, '5').data, asset } }));
    assert.deepEqual(keys, [
      'wal_1|0xaa|native',
      'wal_1|0xaa|erc20:0xcc',
      'wal_1|0xaa|erc721:0xcc:1',
      'wal_1|0xaa|erc1155:0xcc:1',
    ]);
    assert.equal(assets.scope(about(1)), 'org_1/S');
  });
});

describe('unsettled projection', () => {
  const touch = { walletId, block: mined, address: '0xaa', asset: native, reason: 'fee' };
  const touched = { type: 'BalanceTouched', data: touch } as const;
  const settled = { type: 'ActivitySettled', data: { walletId, block: mined } } as const;
  const openly = { type: 'ActivitySettled', data: { walletId, block: mined, open: true } } as const;
  const closed = { type: 'ActivityClosed', data: { walletId, block: mined } } as const;
  const dropped = (due: boolean) => ({ type: 'ActivityDropped', data: { walletId, block: mined, due } }) as const;
  const shown = (phase: string) => ({ wallet_id: 'wal_1', block: mined, phase });
  for (const event of [observed(mined), touched])
    it(`waits for depth after ${event.type}`, () => assert.deepEqual(project(unsettled, [event]), shown('pending')));
  it('is done when it is settled', () => assert.equal(project(unsettled, [observed(mined), settled]), null));
  it('is open until everybody was told', () => {
    assert.deepEqual(project(unsettled, [observed(mined), openly]), shown('open'));
    assert.equal(project(unsettled, [observed(mined), openly, closed]), null);
    assert.deepEqual(project(unsettled, [observed(mined), openly, dropped(true)]), shown('due'));
  });
  it('is done when it is dropped before it counted', () =>
    assert.equal(project(unsettled, [touched, dropped(false)]), null));
  it('waits for a correction when it is dropped after it counted', () => {
    const due = [observed(mined), settled, dropped(true)];
    assert.deepEqual(project(unsettled, due), shown('due'));
    assert.equal(project(unsettled, [...due, settled]), null);
  });
  it('waits again when the block comes back', () => {
    assert.deepEqual(project(unsettled, [touched, dropped(false), touched]), shown('pending'));
    assert.deepEqual(project(unsettled, [touched, settled, dropped(true), touched]), shown('pending'));
  });
  it('has a document for each wallet and block', () => {
    const keys = [touched, settled, closed, dropped(true), observed(other)].map(unsettled.key);
    assert.deepEqual(keys, [...Array(4).fill('wal_1|0xb7'), 'wal_1|0xb8x']);
    assert.equal(unsettled.scope(about(1)), 'org_1/S');
  });
});

describe('contracts projection', () => {
  const data = { contract: '0xcc', standard: 'erc20', description: { symbol: 'C', decimals: 6 } } as const;
  const registered = { type: 'ContractRegistered', data } as const;
  const gone = { type: 'ContractRemoved', data: { contract: '0xcc' } } as const;

  it('shows a registered contract', () =>
    assert.deepEqual(project(contracts, [registered]), { ...data, registered: 'yes', position: 10 }));
  it('keeps what a removed contract says, but lists it no more', () =>
    assert.deepEqual(project(contracts, [registered, gone]), { ...data, registered: 'no', position: 10 }));
  it('shows a contract that came back as new', () => {
    const nft = { ...registered, data: { contract: '0xcc', standard: 'erc721', description: {} } } as const;
    assert.deepEqual(project(contracts, [registered, gone, nft]), { ...nft.data, registered: 'yes', position: 30 });
  });
  it('makes no contract of a removal alone', () => assert.equal(project(contracts, [gone]), null));
  it('belongs to its organization and variant, under the contract', () => {
    assert.equal(contracts.scope(about(1)), 'org_1/S');
    assert.deepEqual([registered, gone].map(contracts.key), ['0xcc', '0xcc']);
  });
});

describe('tokens projection', () => {
  const said = (uri: string, text: string) =>
    ({ type: 'TokenDescribed', data: { contract: '0xcc', tokenId: '1', uri, text } }) as const;

  it('shows what a token said last', () => {
    assert.deepEqual(project(tokens, [said('u1', '')]), { uri: 'u1', text: '' });
    assert.deepEqual(project(tokens, [said('u1', ''), said('u1', 't1')]), { uri: 'u1', text: 't1' });
  });
  it('belongs to its organization and variant, under contract and token', () => {
    assert.equal(tokens.scope(about(1)), 'org_1/S');
    assert.equal(tokens.key(said('u1', '')), tokenKey('0xcc', '1'));
  });
});
