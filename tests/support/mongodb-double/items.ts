import { type Collection, MongoClient } from 'mongodb';
import { type MongoDouble, startMongoDouble } from './server.js';

type Item = { _id: string; n: number };

/** Starts a double for each test of the suite, with a client and a collection that has one item. */
export const useItems = () => {
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
  return { double: () => double, client: () => client, items: () => items };
};
