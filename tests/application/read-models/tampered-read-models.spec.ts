import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { App } from '../../../application/app.js';
import { createRebuild } from '../../../application/projecting/rebuild.js';
import { createWatchList } from '../../../application/watch-list/watch-list.js';
import { projections } from '../../../projections/index.js';
import { composeApp, contextOf, openStores } from '../../support/following/following.js';
import { addressOf, runApp } from '../../support/following/running-app.js';
import { testSystem } from '../../support/silent.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const { variant } = context;
const [kept, hidden] = [addressOf(1), addressOf(2)];

describe('a change of the read models by an attacker', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let app: App;
  let walletId: string;
  beforeEach(async () => {
    stores = await openStores();
    app = composeApp(stores);
    const running = runApp(app);
    const wanted = { name: 'treasury', address: undefined, importAsset: undefined, confirmation: 3 };
    walletId = (await app.wallets.register(context, wanted)).answer.wallet_id;
    const inputs = [kept, hidden].map((text) => ({ text, path: '' }));
    await running.shown((await app.addresses.register(context, { walletId, inputs })).position);
    await running.end();
  });
  afterEach(() => stores.close());

  const tamper = (sql: string) => {
    const db = new DatabaseSync(join(stores.directory, 'read-models.db'));
    assert.equal(db.prepare(sql).run().changes, 1);
    db.close();
  };
  const rebuild = async (compare: boolean) => {
    const ports = { events: stores.events, readModels: stores.readModels, system: testSystem, projections };
    const options = { signal: new AbortController().signal, report: () => undefined, compare };
    const { outcome, comparisons } = await createRebuild(ports).run(projections, options);
    return { outcome, different: comparisons.filter(({ equal }) => !equal).map(({ name }) => name) };
  };
  const listed = async () => {
    const { addresses } = await app.wallets.find(context, { walletId, address: undefined });
    return (addresses as readonly string[]).toSorted();
  };
  /** Returns which of both addresses a follower watches that starts now. */
  const watched = async () => {
    const watching = createWatchList({ ...stores, system: testSystem }, variant.tag);
    await watching.load(await stores.events.head(), 0);
    return [kept, hidden].filter((address) => watching.interest.address(address));
  };

  it('can hide an address from answers and from followers, which a comparing rebuild names and a rebuild undoes', async () => {
    assert.deepEqual(
      [await listed(), await watched()],
      [
        [kept, hidden],
        [kept, hidden],
      ],
    );
    tamper(`DELETE FROM addresses_1 WHERE id = '${hidden}'`);
    assert.deepEqual([await listed(), await watched()], [[kept], [kept]]);
    assert.deepEqual(await rebuild(true), { outcome: 'different', different: ['addresses'] });
    assert.deepEqual(await listed(), [kept]);
    assert.equal((await rebuild(false)).outcome, 'swapped');
    assert.deepEqual(
      [await listed(), await watched()],
      [
        [kept, hidden],
        [kept, hidden],
      ],
    );
  });

  it('can hide an address from a list by a column of an index, which no comparison names and any rebuild undoes', async () => {
    tamper(`UPDATE addresses_1 SET wallet_id = 'none' WHERE id = '${hidden}'`);
    assert.deepEqual([await listed(), await watched()], [[kept], [kept, hidden]]);
    assert.deepEqual(await rebuild(true), { outcome: 'swapped', different: [] });
    assert.deepEqual(await listed(), [kept, hidden]);
  });
});
