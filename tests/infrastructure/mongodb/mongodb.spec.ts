import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { databaseIn } from '../../../infrastructure/mongodb/connection.js';
import { mongoReadModels, pageFilter } from '../../../infrastructure/mongodb/read-models.js';
import { mongoState } from '../../../infrastructure/mongodb/state.js';
import { projections } from '../../../projections/index.js';
import { type MongoDouble, startMongoDouble } from '../../support/mongodb-double/server.js';
import { freshNamespace, given } from '../../support/run/servers.js';

describe('the MongoDB adapters', () => {
  let double: MongoDouble | undefined;
  afterEach(async () => {
    await double?.close();
    double = undefined;
  });
  const start = async (options?: Parameters<typeof startMongoDouble>[0]) => {
    double = await startMongoDouble(options);
    return double;
  };

  /** Starts a double, or uses a namespace of the configured server. */
  const place = async () =>
    given.mongo ? { url: given.mongo, namespace: freshNamespace() } : { url: (await start()).url, namespace: '' };

  it('reject a standalone server with a clear message', async () => {
    const { url } = await start({ standalone: true });
    const refusal = { code: 'FAILED_PRECONDITION', message: /standalone server\. Use a replica set/ };
    await assert.rejects(mongoReadModels(url, projections), refusal);
    await assert.rejects(mongoState(url), refusal);
  });

  it('report in time that no server answers', async () => {
    const { url, stop } = await start();
    await stop();
    await assert.rejects(mongoReadModels(url, projections), { code: 'UNAVAILABLE', message: /MongoDB/ });
  });

  it('reject an existing index of a declared name with other fields', async () => {
    const { url } = await start();
    const client = await MongoClient.connect(url);
    await client.db('chainfold').collection('wallets_1').createIndex({ scope: 1, colour: 1 }, { name: 'all' });
    await client.close();
    await assert.rejects(mongoReadModels(url, projections), { code: 'FAILED_PRECONDITION', message: /wallets_1/ });
  });

  it('continue after a projector was killed within its transaction, long before the server aborts it', async () => {
    const { url, namespace } = await place();
    const program = fileURLToPath(new URL('../../support/engines/dying-projector.ts', import.meta.url));
    const died = promisify(execFile)(process.execPath, ['--import', 'tsx', program, url, namespace]);
    await assert.rejects(died, { signal: 'SIGKILL' });
    const store = await mongoReadModels(url, projections, { namespace });
    try {
      assert.deepEqual((await store.checkpoint()).positions, {});
      assert.equal(await store.commit([], await store.checkpoint(), { wallets: 1 }), true);
      assert.deepEqual((await store.checkpoint()).positions, { wallets: 1 });
    } finally {
      await store.close();
    }
  });

  const pages = projections.flatMap((projection) =>
    Object.entries(projection.indexes).flatMap(([index, { equal }]) =>
      [undefined, [5, 'x'] as const].flatMap((after) =>
        [false, true].map((oldestFirst) => ({
          projection,
          query: { index, equal: equal.map(() => 'x'), limit: 10, after, oldestFirst },
        })),
      ),
    ),
  );

  it('serve every declared query from an index, without sorting', async () => {
    const { url, namespace } = await place();
    const store = await mongoReadModels(url, projections, { namespace });
    const client = await MongoClient.connect(url);
    for (const { projection, query } of pages) {
      const { filter, sort } = pageFilter(projection, 'scope', query);
      const name = `${projection.name}_1`;
      const find = client
        .db(databaseIn(url, namespace))
        .collection(name)
        .find(filter as never)
        .sort(sort);
      const plan = JSON.stringify(await find.limit(11).explain('queryPlanner'));
      assert.match(plan, /IXSCAN/, `${name}.${query.index}`);
      assert.doesNotMatch(plan, /COLLSCAN|"SORT"/, `${name}.${query.index}`);
    }
    await client.close();
    await store.close();
  });
});
