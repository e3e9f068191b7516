import assert from 'node:assert/strict';
import type { EventData } from '../../domain/aggregates.js';
import { currentVersion, readableVersion, UnreadableEvent, type Upcasters, upcast } from '../../domain/upcasters.js';

const block = { number: 7, hash: '0xb7', time: 1, chain: '0xb0' };
const touched = { walletId: 'wal_1', block, address: '0xaa', reason: 'fee' };
const coin = { standard: 'erc20', contract: '0xcc' };
const stored = (data: object, version?: number, type = 'BalanceTouched') => ({
  type,
  data,
  metadata: { organizationId: 'org_a', ...(version !== undefined && { version }) },
});
const fromFirst = (data: object) => upcast(stored(data));

describe('the upcasters', () => {
  it('set the native coin in a BalanceTouched of version 1 that has no asset', () =>
    assert.deepEqual(fromFirst(touched), { ...touched, asset: { standard: 'native' } }));
  it('keep the asset of a BalanceTouched of version 1', () =>
    assert.deepEqual(fromFirst({ ...touched, asset: coin }), { ...touched, asset: coin }));
  it('do not modify their input event', () => {
    const frozen = Object.freeze({ ...touched });
    fromFirst(frozen);
    assert.deepEqual(frozen, touched);
  });
  it('return the same data object for an event of the current version', () => {
    const data = { ...touched, asset: coin };
    assert.equal(upcast(stored(data, currentVersion('BalanceTouched'))), data);
  });
  it('have one version of a type that never changed, even if its name is that of an Object method', () => {
    for (const type of ['WalletRegistered', 'toString']) {
      assert.deepEqual([currentVersion(type), readableVersion(type)], [1, 1]);
      assert.equal(upcast(stored(touched, undefined, type)), touched);
    }
  });
  it('reject a version that a newer release wrote, and name the organization and both versions', () =>
    assert.throws(
      () => upcast(stored(touched, 3)),
      (error: unknown) => {
        assert.ok(error instanceof UnreadableEvent);
        assert.equal(error.organizationId, 'org_a');
        assert.match(error.message, /BalanceTouched .* version 3; .* up to version 2\. Upgrade/);
        return true;
      },
    ));
});

/** Data of version 2, in which `name` is called `label`. The release writes version 1, but already reads version 2. */
type Renamed = Omit<EventData<'WalletRegistered'>, 'name'> & { readonly label: string };
const ahead: Upcasters = {
  WalletRegistered: {
    up: [],
    next: ({ label: name, ...data }: Renamed): EventData<'WalletRegistered'> => ({ ...data, name }),
  },
};

describe('a release that knows the next version of a type', () => {
  const registered = { walletId: 'wal_1', name: 'Anna' };
  const { name: label, ...others } = registered;

  it('continues to write the previous version', () =>
    assert.deepEqual([currentVersion('WalletRegistered', ahead), readableVersion('WalletRegistered', ahead)], [1, 2]));
  it('reads the next version in the shape of the version that it writes', () =>
    assert.deepEqual(upcast(stored({ ...others, label }, 2, 'WalletRegistered'), ahead), registered));
  it('reads its own version unchanged', () =>
    assert.equal(upcast(stored(registered, undefined, 'WalletRegistered'), ahead), registered));
  it('rejects the version after the next', () =>
    assert.throws(
      () => upcast(stored({ ...others, label }, 3, 'WalletRegistered'), ahead),
      /version 3; this release reads it up to version 2\./,
    ));
});

describe('the table of upcasters', () => {
  it('has only existing event types, and ends with the shape that is written', () => {
    // @ts-expect-error A misspelt event type is not in the table.
    const misspelt: Upcasters = { BalanceTuched: { up: [] } };
    // @ts-expect-error The last step returns data without the asset.
    const outdated: Upcasters = { BalanceTouched: { up: [(data: typeof touched) => data] } };
    assert.ok(misspelt && outdated);
  });
});
