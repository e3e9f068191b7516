import assert from 'node:assert/strict';
import { MongoClient } from 'mongodb';
import { mongoReadModels, pageFilter } from '../../infrastructure/mongodb/read-models.js';
import { mongoState } from '../../infrastructure/mongodb/state.js';
import { projections } from '../../projections/index.js';
import { type MongoDouble, startMongoDouble } from '../support/mongodb-double/server.js';

const server = process.env.MONGODB_URL;

describe('MongoDB adapters', () => {
  let double: MongoDouble | undefined;
  afterEach(async () => {
    await double?.close();
    double = undefined;
  });
  const start = async (options?: Parameters<typeof startMongoDouble>[0]) => {
    double = await startMongoDouble(options);
    return double;
  };

  it('refuse a standalone server with a clear line', async () => {
    const { url } = await start({ standalone: true });
    const refusal = { code: 'FAILED_PRECONDITION', message: /standalone server; a replica set is needed/ };
    await assert.rejects(mongoReadModels(url, projections), refusal);
    await assert.rejects(mongoState(url), refusal);
  });

  it('say so, in time, when nobody is there', async () => {
    const { url, stop } = await start();
    await stop();
    await assert.rejects(mongoReadModels(url, projections), { code: 'UNAVAILABLE', message: /MongoDB/ });
  });

  it('refuse an index of a declared name that is another one', async () => {
    const { url } = await start();
    const client = await MongoClient.connect(url);
    await client.db('chainfold').collection('wallets_1').createIndex({ scope: 1, colour: 1 }, { name: 'all' });
    await client.close();
    await assert.rejects(mongoReadModels(url, projections), { code: 'FAILED_PRECONDITION', message: /wallets_1/ });
  });

  it('go on after a runner died inside its transaction', async () => {
    const { url } = await start();
    const store = await mongoReadModels(url, projections);
    const client = await MongoClient.connect(url);
    const dead = client.startSession();
    dead.startTransaction();
    await client
      .db('chainfold')
      .collection('checkpoints')
      .updateOne({}, { $inc: { revision: 1 } }, { session: dead });
    assert.equal(await store.commit([], await store.checkpoint(), { wallets: 1 }), true);
    assert.deepEqual((await store.checkpoint()).positions, { wallets: 1 });
    await client.close(true);
    await store.close();
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

  it('answer every declared query from an index, without sorting', async () => {
    const url = server ?? (await start()).url;
    const store = await mongoReadModels(url, projections);
    const client = await MongoClient.connect(url);
    for (const { projection, query } of pages) {
      const { filter, sort } = pageFilter(projection, 'scope', query);
      const name = `${projection.name}_${projection.version}`;
      const find = client
        .db('chainfold')
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
