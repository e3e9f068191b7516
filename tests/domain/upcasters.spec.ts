import assert from 'node:assert/strict';
import { currentVersion, upcast } from '../../domain/upcasters.js';

const block = { number: 7, hash: '0xb7', time: 1, chain: '0xb0' };
const touched = { walletId: 'wal_1', block, address: '0xaa', reason: 'fee' };
const coin = { standard: 'erc20', contract: '0xcc' };
const fromFirst = (data: object) => upcast({ type: 'BalanceTouched', data }, 1);

describe('the upcasters', () => {
  it("name the chain's own coin in a BalanceTouched of version 1 that names no asset", () =>
    assert.deepEqual(fromFirst(touched), { ...touched, asset: { standard: 'native' } }));
  it('keep the asset that a BalanceTouched of version 1 names', () =>
    assert.deepEqual(fromFirst({ ...touched, asset: coin }), { ...touched, asset: coin }));
  it('do not change the event that they are given', () => {
    const stored = Object.freeze({ ...touched });
    fromFirst(stored);
    assert.deepEqual(stored, touched);
  });
  it('return the same data object for an event of the current version', () => {
    const data = { ...touched, asset: coin };
    assert.equal(upcast({ type: 'BalanceTouched', data }, currentVersion('BalanceTouched')), data);
  });
  it('know one version of a type that never changed, even of a type that is named like a method of objects', () => {
    for (const type of ['WalletRegistered', 'toString']) {
      assert.equal(currentVersion(type), 1);
      assert.equal(upcast({ type, data: touched }, 1), touched);
    }
  });
  it('refuse a version that a newer release wrote, and name it', () =>
    assert.throws(() => upcast({ type: 'BalanceTouched', data: touched }, 3), /BalanceTouched is stored in version 3/));
});
