import assert from 'node:assert/strict';
import type { Transfer } from '../../domain/aggregates/ledger/ledger-data.js';
import type { Asset } from '../../domain/asset.js';
import { assets } from '../../projections/assets.js';
import { contracts } from '../../projections/contracts.js';
import { tokenKey, tokens } from '../../projections/tokens.js';
import { sortableTime, transfers } from '../../projections/transfers.js';
import { unsettled } from '../../projections/unsettled.js';
import { native, paid } from '../support/histories/ledger-events.js';
import { about, project } from '../support/histories/project.js';

const walletId = 'wal_1';
const blockAt = (number: number, fork = '') => ({
  number,
  hash: `0xb${number}${fork}`,
  time: 1000 + number,
  chain: '0xb0',
});
type Block = ReturnType<typeof blockAt>;
const [mined, other] = [blockAt(7), blockAt(8, 'x')];

const transfer: Transfer = { ...paid, index: 'native' };
const observed = (block: Block, own = ['0xaa'], what = transfer) =>
  ({ type: 'TransferObserved', data: { walletId, block, transfer: what, own } }) as const;
const change = (block: Block, failed: boolean) => ({ walletId, block, transaction: '0xt1', index: 'native', failed });
const confirmed = (block: Block, failed = false) =>
  ({ type: 'TransferConfirmed', data: change(block, failed) }) as const;
const removed = (block: Block) => ({ type: 'TransferRemoved', data: change(block, false) }) as const;

describe('the transfers projection', () => {
  const shown = {
    wallet_id: 'wal_1',
    transfer,
    state: 'PENDING',
    block_number: 7,
    block_hash: '0xb7',
    block_time: 1007,
    chain: '0xb0',
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
      chain: '0xb0',
      moment: `00000000100${number}.00000000000${number}.00000000000000${n}0`,
    };
  };
  /** Expected document after the n-th event, when the transfer is in the block `other`. */
  const again = (n: number) => ({ ...shown, ...inclusion('PENDING', 'other', n) });

  it('shows an observed transfer as PENDING', () => assert.deepEqual(project(transfers, [observed(mined)]), shown));
  it("indexes a transfer by the wallet's own addresses and no other", () => {
    const found = (own: string[]) => {
      const document = project(transfers, [observed(mined, own)]);
      return [document?.own_from, document?.own_to];
    };
    assert.deepEqual(found(['0xaa']), ['0xaa', '']);
    assert.deepEqual(found(['0xbb']), ['', '0xbb']);
    assert.deepEqual(found(['0xbb', '0xaa']), ['0xaa', '0xbb']);
  });
  it('shows a confirmed transfer as SUCCESS, or as FAILED', () => {
    assert.deepEqual(project(transfers, [observed(mined), confirmed(mined)]), { ...shown, state: 'SUCCESS' });
    assert.deepEqual(project(transfers, [observed(mined), confirmed(mined, true)]), { ...shown, state: 'FAILED' });
  });
  it('shows a removed transfer as REMOVED, whether it was confirmed before or not', () => {
    const gone = { ...shown, state: 'REMOVED' };
    assert.deepEqual(project(transfers, [observed(mined), removed(mined)]), gone);
    assert.deepEqual(project(transfers, [observed(mined), confirmed(mined), removed(mined)]), gone);
  });
  it('creates no transfer from a confirmation or a removal alone', () => {
    assert.equal(project(transfers, [confirmed(mined)]), null);
    assert.equal(project(transfers, [removed(mined)]), null);
  });

  const first = observed(mined);
  const seen = { transfer, own_from: shown.own_from, own_to: shown.own_to };
  it('shows a transfer that was mined again in its new block', () =>
    assert.deepEqual(project(transfers, [first, removed(mined), observed(other)]), again(3)));
  it('ignores events of a replaced block once the transfer is mined in another', () => {
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
  it('keeps showing the first block when a block that was observed later is removed', () => {
    const late = [observed(other), observed(mined), removed(mined)] as const;
    assert.deepEqual(project(transfers, late), again(1));
    assert.deepEqual(project(transfers, [...late, confirmed(other)]), { ...again(1), state: 'SUCCESS' });
    const early = [observed(other), observed(mined), confirmed(other), removed(mined)] as const;
    assert.deepEqual(project(transfers, early), { ...again(1), state: 'SUCCESS' });
    const none = [...late, confirmed(other), removed(other)] as const;
    assert.deepEqual(project(transfers, none), { ...again(1), state: 'REMOVED' });
  });
  it('counts a block once, however often the transfer is observed in it', () => {
    const twice = [observed(other), first, observed(other)] as const;
    const others = [{ ...seen, ...inclusion('PENDING', 'mined', 2) }];
    assert.deepEqual(project(transfers, twice), { ...again(3), others });
    assert.deepEqual(project(transfers, [first, first]), { ...shown, ...inclusion('PENDING', 'mined', 2) });
  });
  it('follows a transfer from block to block and back', () => {
    const away = [first, confirmed(mined), removed(mined), observed(other)] as const;
    const back = [...away, removed(other), observed(mined)] as const;
    const moment = '000000001007.000000000007.0000000000000060';
    assert.deepEqual(project(transfers, back), { ...shown, moment });
    assert.deepEqual(project(transfers, [...back, confirmed(mined)]), { ...shown, moment, state: 'SUCCESS' });
  });
  it('shows the transfer with the data of its new block', () => {
    const reverted = { ...transfer, failed: true };
    const document = project(transfers, [first, removed(mined), observed(other, ['0xaa'], reverted)]);
    assert.deepEqual(document, { ...again(3), transfer: reverted });
  });

  it('sorts transfers by the time of their block, then by its height, then by the order of observation', () => {
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
  it('sorts the beginning of a second before all transfers of that second', () => {
    const moment = project(transfers, [observed(mined)])?.moment ?? '';
    assert.ok(sortableTime(1007) < moment && moment < sortableTime(1008));
  });
  it('has one document per wallet and transfer, whichever the block', () => {
    const keys = [observed(mined), observed(other), confirmed(other), removed(mined)].map(transfers.key);
    assert.deepEqual(keys, Array(4).fill('wal_1|0xt1|native'));
    assert.equal(transfers.scope(about(1)), 'org_1/S');
  });
});

describe('the assets projection', () => {
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
    asset_key: 'native',
    balance,
    block_number,
    chain,
    read_position: n * 10,
    position: 10,
  });

  it('shows a balance that was read', () => assert.deepEqual(project(assets, [read(7, '5')]), shown('5', 7, 1)));
  it('shows a later balance without moving it in the list', () =>
    assert.deepEqual(project(assets, [read(7, '5'), read(9, '6')]), shown('6', 9, 2)));
  it('shows the second of two readings at one height', () =>
    assert.deepEqual(project(assets, [read(7, '5'), read(7, '6')]), shown('6', 7, 2)));
  it('ignores a reading at a lower height', () =>
    assert.deepEqual(project(assets, [read(9, '6'), read(7, '5'), read(8, '4')]), shown('6', 9, 1)));
  it('accepts a correction at a lower height', () =>
    assert.deepEqual(project(assets, [read(9, '6'), read(7, '5', true)]), shown('5', 7, 2)));
  it('compares later readings with the height of the correction', () => {
    const corrected = [read(9, '6'), read(7, '5', true)];
    assert.deepEqual(project(assets, [...corrected, read(6, '1')]), shown('5', 7, 2));
    assert.deepEqual(project(assets, [...corrected, read(8, '4')]), shown('4', 8, 3));
    assert.deepEqual(project(assets, [...corrected, read(6, '3', true)]), shown('3', 6, 3));
  });
  it('accepts a reading of another chain, however low its height', () => {
    const [old, anew] = [read(900, '6'), read(2, '1', undefined, '0xc0')];
    assert.deepEqual(project(assets, [old, anew]), shown('1', 2, 2, '0xc0'));
    assert.deepEqual(project(assets, [old, anew, read(1, '9', undefined, '0xc0')]), shown('1', 2, 2, '0xc0'));
    assert.deepEqual(project(assets, [old, anew, read(3, '4', undefined, '0xc0')]), shown('4', 3, 3, '0xc0'));
  });
  it('accepts a correction as the first reading', () =>
    assert.deepEqual(project(assets, [read(7, '5', true)]), shown('5', 7, 1)));
  it('shows a balance of zero', () =>
    assert.deepEqual(project(assets, [read(7, '5'), read(8, '0')]), shown('0', 8, 2)));

  it('has one document per wallet, address and asset', () => {
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

describe('the unsettled projection', () => {
  const touch = { walletId, block: mined, address: '0xaa', asset: native, reason: 'fee' };
  const touched = { type: 'BalanceTouched', data: touch } as const;
  const settled = { type: 'ActivitySettled', data: { walletId, block: mined } } as const;
  const openly = { type: 'ActivitySettled', data: { walletId, block: mined, open: true } } as const;
  const closed = { type: 'ActivityClosed', data: { walletId, block: mined } } as const;
  const dropped = (due: boolean) => ({ type: 'ActivityDropped', data: { walletId, block: mined, due } }) as const;
  const shown = (phase: string) => ({ wallet_id: 'wal_1', block: mined, phase });
  for (const event of [observed(mined), touched])
    it(`shows a block as pending after ${event.type}`, () =>
      assert.deepEqual(project(unsettled, [event]), shown('pending')));
  it('shows no settled block', () => assert.equal(project(unsettled, [observed(mined), settled]), null));
  it('shows a block as open until all webhooks were notified', () => {
    assert.deepEqual(project(unsettled, [observed(mined), openly]), shown('open'));
    assert.equal(project(unsettled, [observed(mined), openly, closed]), null);
    assert.deepEqual(project(unsettled, [observed(mined), openly, dropped(true)]), shown('due'));
  });
  it('shows no block that was dropped before it was settled', () =>
    assert.equal(project(unsettled, [touched, dropped(false)]), null));
  it('shows a block as due when it is dropped after it was settled, until it is corrected', () => {
    const due = [observed(mined), settled, dropped(true)];
    assert.deepEqual(project(unsettled, due), shown('due'));
    assert.equal(project(unsettled, [...due, settled]), null);
  });
  it('shows a block as pending again when it comes back', () => {
    assert.deepEqual(project(unsettled, [touched, dropped(false), touched]), shown('pending'));
    assert.deepEqual(project(unsettled, [touched, settled, dropped(true), touched]), shown('pending'));
  });
  it('has one document per wallet and block', () => {
    const keys = [touched, settled, closed, dropped(true), observed(other)].map(unsettled.key);
    assert.deepEqual(keys, [...Array(4).fill('wal_1|0xb7'), 'wal_1|0xb8x']);
    assert.equal(unsettled.scope(about(1)), 'org_1/S');
  });
});

describe('the contracts projection', () => {
  const data = { contract: '0xcc', standard: 'erc20', description: { symbol: 'C', decimals: 6 } } as const;
  const registered = { type: 'ContractRegistered', data } as const;
  const gone = { type: 'ContractRemoved', data: { contract: '0xcc' } } as const;

  it('shows a registered contract', () =>
    assert.deepEqual(project(contracts, [registered]), { ...data, registered: 'yes', position: 10 }));
  it('keeps the description of a removed contract, and no longer lists the contract', () =>
    assert.deepEqual(project(contracts, [registered, gone]), { ...data, registered: 'no', position: 10 }));
  it('shows a contract that is registered again as a new one', () => {
    const nft = { ...registered, data: { contract: '0xcc', standard: 'erc721', description: {} } } as const;
    assert.deepEqual(project(contracts, [registered, gone, nft]), { ...nft.data, registered: 'yes', position: 30 });
  });
  it('creates no contract from a removal alone', () => assert.equal(project(contracts, [gone]), null));
  it('stores a contract of an organization and variant under its address', () => {
    assert.equal(contracts.scope(about(1)), 'org_1/S');
    assert.deepEqual([registered, gone].map(contracts.key), ['0xcc', '0xcc']);
  });
});

describe('the tokens projection', () => {
  const said = (uri: string, text: string) =>
    ({ type: 'TokenDescribed', data: { contract: '0xcc', tokenId: '1', uri, text } }) as const;

  it('shows the last description of a token', () => {
    assert.deepEqual(project(tokens, [said('u1', '')]), { uri: 'u1', text: '' });
    assert.deepEqual(project(tokens, [said('u1', ''), said('u1', 't1')]), { uri: 'u1', text: 't1' });
  });
  it('shows the description of a token without an id', () => {
    const data = { contract: 'm', tokenId: '', uri: '', text: '', description: { symbol: 'C', decimals: 6 } };
    const coin = { type: 'TokenDescribed', data } as const;
    assert.deepEqual(project(tokens, [coin]), { uri: '', text: '', description: data.description });
    assert.equal(tokens.key(coin), tokenKey('m', ''));
  });
  it('stores a token of an organization and variant under contract and token id', () => {
    assert.equal(tokens.scope(about(1)), 'org_1/S');
    assert.equal(tokens.key(said('u1', '')), tokenKey('0xcc', '1'));
  });
});
