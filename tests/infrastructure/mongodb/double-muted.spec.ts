import assert from 'node:assert/strict';
import { type Collection, MongoClient } from 'mongodb';
import { until } from '../../support/eventually.js';
import { type MongoDouble, startMongoDouble } from '../../support/mongodb-double/server.js';

type Item = { _id: string; n: number };

describe('the MongoDB double while it is muted', () => {
  let double: MongoDouble;
  let client: MongoClient;
  let items: Collection<Item>;
  beforeEach(async () => {
    double = await startMongoDouble();
    client = await MongoClient.connect(double.url);
    items = client.db('shop').collection<Item>('items');
    await items.insertOne({ _id: '1', n: 1 });
  });
  afterEach(async () => {
    double.mute(false);
    await client.close();
    await double.close();
  });

  it('answers nothing, and answers again afterwards', async () => {
    double.mute(true);
    let isAnswered = false as boolean;
    const first = items.findOne().finally(() => (isAnswered = true));
    await until('the question has arrived', () => double.commands.includes('find'));
    double.mute(false);
    // A later question is answered over another connection, and the first one still is not.
    assert.equal((await items.findOne())?.n, 1);
    assert.equal(isAnswered, false);
    double.dropConnections();
    assert.equal((await first)?.n, 1);
  });
});
