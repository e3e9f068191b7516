import assert from 'node:assert/strict';
import { ledgerKey } from '../../../application/assets/balance-ledger.js';
import { currentEvents } from '../../../application/commands/current-events.js';
import { createHandle, step } from '../../../application/commands/handle.js';
import { createNewerSoftware, unreadableText } from '../../../application/maintenance/newer-software.js';
import { migratePositions } from '../../../application/maintenance/process-positions.js';
import { ledger } from '../../../domain/aggregates/ledger.js';
import type { EventData } from '../../../domain/aggregates.js';
import { type Upcasters, upcasters } from '../../../domain/upcasters.js';
import { projections } from '../../../projections/index.js';
import { contextOf } from '../../support/following/following.js';
import { storeKinds } from '../../support/following/store-kinds.js';
import { testSystem } from '../../support/silent.js';

const by = contextOf(`org_${'a'.repeat(32)}`);
const same = <T extends object>(data: T) => data;
/** Upcasters of the next release, which writes BalanceTouched in version 3. */
const nextRelease: Upcasters = {
  ...upcasters,
  BalanceTouched: { up: [...(upcasters.BalanceTouched?.up ?? []), same<EventData<'BalanceTouched'>>] },
};

for (const { name, open } of storeKinds)
  describe(`traces of newer software, on ${name}`, () => {
    let stores: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      stores = await open();
    });
    afterEach(() => stores.close());
    const release = (versions = upcasters, own = projections) =>
      createNewerSoftware({ ...stores, projections: own, now: Date.now, versions });
    const touch = (n: number, versions: Upcasters) => {
      const block = { number: n, hash: `0xb${n}`, time: 1_700_000_000 + n, chain: '0xb0' };
      const touches = [{ address: '0xdd', reason: 'withdrawal' }];
      const data = { walletId: 'wal_1', block, transfers: [], touches };
      return createHandle(currentEvents(stores.events, versions), testSystem)(by, [
        step(ledger, by.organizationId, ledgerKey(by.variant, 'wal_1', block.hash), { type: 'Observe', data }),
      ]);
    };
    const search = (versions = upcasters) => release(versions).searchEvents({ ms: 60_000 });

    it('are absent while one release uses the stores', async () => {
      await release().record();
      await touch(1, upcasters);
      assert.deepEqual(await release().readModels(), []);
      assert.deepEqual(await release().eventVersions(), []);
      assert.deepEqual((await search()).found, []);
    });
    it('name each read model that a newer release built', async () => {
      const [first, ...others] = projections;
      assert.ok(first);
      const older = [{ ...first, version: first.version - 1 }, ...others];
      assert.deepEqual(await release(upcasters, older).readModels(), [
        `Read model ${first.name} was built by a newer release (version ${first.version}, this release writes ${first.version - 1})`,
      ]);
    });
    it('name each version of an event that a newer release writes, even before it has written one', async () => {
      await release().record();
      await release(nextRelease).record();
      await release().record();
      assert.deepEqual(await release().eventVersions(), [
        'BalanceTouched in version 3 (this release reads it up to version 2)',
      ]);
      assert.deepEqual(await release(nextRelease).eventVersions(), []);
    });
    it('name type, version and organization of unreadable events, and search only those since the upgrade', async () => {
      await release().record();
      for (let n = 1; n <= 5; n++) await touch(n, upcasters);
      const { searched: all } = await search();
      await release(nextRelease).record();
      await touch(6, nextRelease);
      const { found, searched, isPartial } = await search();
      assert.deepEqual(found, [{ type: 'BalanceTouched', version: 3, organizations: [by.organizationId], events: 1 }]);
      assert.ok(searched < all, `${searched} of ${all}`);
      assert.equal(isPartial, false);
      assert.deepEqual((await search(nextRelease)).found, []);
    });
    it('are found without a record of the newer release', async () => {
      await touch(1, nextRelease);
      const [kind] = (await search()).found;
      assert.match(
        kind ? unreadableText(kind) : '',
        /BalanceTouched in version 3 \(events: 1, organizations: org_a+\)/,
      );
    });
    it('are searched for a limited time', async () => {
      await touch(1, upcasters);
      assert.equal((await release().searchEvents({ ms: -1 })).isPartial, true);
    });
    it('are kept in a migration, with the positions of the new stores', async () => {
      await release().record();
      const entry = await stores.state.get('processes', 'event-versions');
      const moved = JSON.parse(migratePositions('event-versions', entry?.value ?? '', (position) => position + 7));
      const { version, since } = JSON.parse(entry?.value ?? '').BalanceTouched;
      assert.deepEqual(moved.BalanceTouched, { version, since: since + 7 });
    });
  });
