import assert from 'node:assert/strict';
import {
  type Collection,
  type Db,
  MongoBulkWriteError,
  MongoClient,
  type MongoClientOptions,
  MongoNetworkTimeoutError,
  MongoOperationTimeoutError,
  MongoServerError,
} from 'mongodb';
import { type MongoDouble, startMongoDouble } from '../support/mongodb-double/server.js';

type Item = { _id: string; n?: number; kind?: string; place?: { city?: string }; tags?: string[]; made?: boolean };

const isCode = (code: number) => (error: unknown) => error instanceof MongoServerError && error.code === code;
const withLabel = (code: number, label: string) => (error: unknown) =>
  error instanceof MongoServerError && error.code === code && error.hasErrorLabel(label);

describe('mongodb double', () => {
  let double: MongoDouble;
  let db: Db;
  let items: Collection<Item>;
  let clients: MongoClient[];

  const connect = async (options: MongoClientOptions = {}, url = double.url) => {
    const client = new MongoClient(url, options);
    clients.push(client);
    return client.connect();
  };
  beforeEach(async () => {
    clients = [];
    double = await startMongoDouble();
    db = (await connect()).db('shop');
    items = db.collection<Item>('items');
  });
  afterEach(async () => {
    double.mute(false);
    await Promise.all(clients.map((client) => client.close()));
    await double.close();
  });
  const item = (_id: string) => items.findOne({ _id });
  const arrived = (name: string) => double.commands.filter((command) => command === name).length;

  describe('documents', () => {
    it('keeps indexes and lists them, and refuses another one under the same name', async () => {
      await items.createIndexes([
        { key: { kind: 1, n: -1 }, name: 'by-kind' },
        { key: { n: 1 }, name: 'numbers', unique: true, partialFilterExpression: { kind: 'a' } },
      ]);
      await items.createIndex({ kind: 1, n: -1 }, { name: 'by-kind' });
      assert.deepEqual(await items.indexes(), [
        { v: 2, key: { _id: 1 }, name: '_id_' },
        { v: 2, key: { kind: 1, n: -1 }, name: 'by-kind' },
        { v: 2, key: { n: 1 }, name: 'numbers', unique: true, partialFilterExpression: { kind: 'a' } },
      ]);
      await assert.rejects(items.createIndex({ other: 1 }, { name: 'by-kind' }), isCode(86));
      await items.dropIndex('by-kind');
      assert.equal((await items.indexes()).length, 2);
    });

    it('refuses a second document with the same _id or the same value of a unique index', async () => {
      await items.createIndex({ n: 1 }, { unique: true, partialFilterExpression: { kind: 'a' } });
      await items.insertOne({ _id: '1', n: 1, kind: 'a' });
      await assert.rejects(items.insertOne({ _id: '1' }), isCode(11000));
      await assert.rejects(items.insertOne({ _id: '2', n: 1, kind: 'a' }), isCode(11000));
      await items.insertOne({ _id: '3', n: 1, kind: 'b' });
      await assert.rejects(items.updateOne({ _id: '3' }, { $set: { kind: 'a' } }), isCode(11000));
      await items.deleteOne({ _id: '1' });
      await items.updateOne({ _id: '3' }, { $set: { kind: 'a' } });
      await assert.rejects(items.createIndex({ made: 1 }, { unique: true }).then(() => items.insertOne({ _id: '4' })));
    });

    it('stops at the first refused document of an ordered insert, and goes on in an unordered one', async () => {
      const documents = [{ _id: '1' }, { _id: '1' }, { _id: '2' }];
      await assert.rejects(items.insertMany(documents), MongoBulkWriteError);
      assert.equal(await items.countDocuments(), 1);
      await assert.rejects(items.insertMany(documents, { ordered: false }), MongoBulkWriteError);
      assert.equal(await items.countDocuments(), 2);
    });

    it('finds by comparison, sorts by several fields, limits, projects, and hands out batches', async () => {
      await items.insertMany(
        Array.from({ length: 250 }, (_, n) => ({ _id: `i${n}`, n: n % 50, kind: n % 2 ? 'a' : 'b' })),
      );
      assert.equal((await items.find().toArray()).length, 250);
      assert.ok(arrived('getMore') > 0);
      const page = await items
        .find({ kind: 'a', $or: [{ n: { $lt: 3 } }, { n: 3, _id: { $in: ['i3', 'i53'] } }] })
        .sort({ n: -1, _id: 1 })
        .skip(1)
        .limit(3)
        .project({ n: 1 })
        .toArray();
      assert.deepEqual(
        page,
        [
          { _id: 'i53', n: 3 },
          { _id: 'i1', n: 1 },
          { _id: 'i101', n: 1 },
        ].toSorted((one, other) => other.n - one.n || (one._id < other._id ? -1 : 1)),
      );
      const some = await items.find({ _id: { $in: ['i9', 'i1', 'nothing'] } }).toArray();
      assert.deepEqual(
        some.map(({ _id }) => _id),
        ['i1', 'i9'],
      );
      assert.equal(await items.countDocuments({ $and: [{ n: { $gte: 10 } }, { n: { $lte: 11 } }] }), 10);
    });

    it('looks into arrays and nested documents', async () => {
      await items.insertOne({ _id: '1', place: { city: 'Rome' }, tags: ['x', 'y'] });
      assert.ok(await items.findOne({ tags: 'y', 'place.city': 'Rome' }));
      assert.equal(await items.findOne({ tags: 'z' }), null);
      assert.ok(await items.findOne({ kind: { $exists: false }, n: null as never }));
      await items.updateOne(
        { _id: '1', tags: 'x' },
        { $set: { 'tags.$': 'w', 'place.city': 'Pisa' }, $unset: { kind: '' } },
      );
      assert.deepEqual(await item('1'), { _id: '1', place: { city: 'Pisa' }, tags: ['w', 'y'] });
    });

    it('upserts, replaces and updates many, alone and in bulk, and counts what it changed', async () => {
      const upsert = { $set: { kind: 'a' }, $inc: { n: 1 }, $setOnInsert: { made: true } };
      const first = await items.updateOne({ _id: '1', 'place.city': 'Rome' }, upsert, { upsert: true });
      assert.deepEqual([first.upsertedId, first.matchedCount], ['1', 0]);
      assert.deepEqual(await item('1'), { _id: '1', place: { city: 'Rome' }, kind: 'a', made: true, n: 1 });
      const again = await items.updateOne({ _id: '1' }, { $set: { kind: 'a' } });
      assert.deepEqual([again.matchedCount, again.modifiedCount], [1, 0]);
      const bulk = await items.bulkWrite([
        { insertOne: { document: { _id: '2', n: 5 } } },
        { updateOne: { filter: { _id: '3' }, update: upsert, upsert: true } },
        { replaceOne: { filter: { _id: '1' }, replacement: { n: 7 } } },
        { updateMany: { filter: { n: { $gte: 5 } }, update: [{ $set: { n: { $add: ['$n', 1] } } }] } },
        { deleteOne: { filter: { _id: '2' } } },
      ]);
      assert.deepEqual([bulk.insertedCount, bulk.upsertedCount, bulk.modifiedCount, bulk.deletedCount], [1, 1, 3, 1]);
      assert.deepEqual(await items.find().sort({ _id: 1 }).toArray(), [
        { _id: '1', n: 8 },
        { _id: '3', kind: 'a', made: true, n: 1 },
      ]);
    });

    it('finds and modifies in one step', async () => {
      await items.insertMany([
        { _id: '1', n: 1 },
        { _id: '2', n: 2 },
      ]);
      const before = await items.findOneAndUpdate({}, { $inc: { n: 10 } }, { sort: { n: -1 } });
      const after = await items.findOneAndUpdate({ _id: '2' }, { $inc: { n: 1 } }, { returnDocument: 'after' });
      assert.deepEqual([before?.n, after?.n], [2, 13]);
      const made = await items.findOneAndUpdate(
        { _id: '3' },
        { $set: { n: 3 } },
        { upsert: true, returnDocument: 'after' },
      );
      assert.deepEqual([made, (await items.findOneAndDelete({ _id: '3' }))?.n], [{ _id: '3', n: 3 }, 3]);
      assert.equal(await items.findOneAndUpdate({ _id: '3' }, { $set: { n: 3 } }), null);
    });

    it('says which index serves a query, and when none does', async () => {
      await items.createIndex({ kind: 1, n: -1 }, { name: 'by-kind' });
      const plan = async (filter: object, sort = {}) =>
        JSON.stringify((await items.find(filter).sort(sort).explain()).queryPlanner.winningPlan);
      assert.match(await plan({ kind: 'a' }, { n: 1 }), /^\{"stage":"FETCH".*IXSCAN.*by-kind/);
      assert.match(await plan({ kind: 'a' }, { made: 1 }), /^\{"stage":"SORT".*IXSCAN/);
      assert.match(await plan({ n: 1 }), /COLLSCAN/);
    });

    it('aggregates, names collections and drops them', async () => {
      await items.insertMany([
        { _id: '1', kind: 'a' },
        { _id: '2', kind: 'a' },
        { _id: '3', kind: 'b' },
      ]);
      const groups = await items
        .aggregate([{ $match: { kind: 'a' } }, { $group: { _id: '$kind', n: { $sum: 1 } } }])
        .toArray();
      assert.deepEqual(groups, [{ _id: 'a', n: 2 }]);
      assert.deepEqual([await items.distinct('kind'), await items.estimatedDocumentCount()], [['a', 'b'], 3]);
      await db.createCollection('others');
      const names = async () => (await db.listCollections().toArray()).map(({ name }) => name);
      assert.deepEqual(await names(), ['items', 'others']);
      await items.drop();
      assert.deepEqual(await names(), ['others']);
      await db.dropDatabase();
      assert.deepEqual(await names(), []);
    });
  });

  describe('transactions', () => {
    const transaction = () => {
      const session = db.client.startSession();
      session.startTransaction();
      return session;
    };
    beforeEach(() =>
      items.insertMany([
        { _id: '1', n: 1 },
        { _id: '2', n: 2 },
      ]),
    );

    it('shows its writes to itself at once and to others at the commit, all together', async () => {
      const session = transaction();
      await items.updateOne({ _id: '1' }, { $inc: { n: 10 } }, { session });
      await items.insertOne({ _id: '3' }, { session });
      await items.deleteOne({ _id: '2' }, { session });
      const ids = async (options = {}) => (await items.find({}, options).toArray()).map(({ _id }) => _id);
      assert.deepEqual([await ids({ session }), await ids(), (await item('1'))?.n], [['1', '3'], ['1', '2'], 1]);
      await session.commitTransaction();
      assert.deepEqual([await ids(), (await item('1'))?.n], [['1', '3'], 11]);
    });

    it('leaves nothing behind when it is aborted, also by a refused write', async () => {
      const session = transaction();
      await items.insertOne({ _id: '3' }, { session });
      await session.abortTransaction();
      session.startTransaction();
      await items.insertOne({ _id: '4' }, { session });
      await assert.rejects(items.insertOne({ _id: '1' }, { session }), isCode(11000));
      await assert.rejects(session.commitTransaction(), withLabel(251, 'TransientTransactionError'));
      assert.equal(await items.countDocuments(), 2);
    });

    it('reads the snapshot of its start whatever others write', async () => {
      const session = transaction();
      await items.findOne({ _id: '1' }, { session });
      await items.updateOne({ _id: '1' }, { $set: { n: 100 } });
      await items.deleteOne({ _id: '2' });
      await items.insertOne({ _id: '3', n: 3 });
      const seen = await items.find({}, { session }).sort({ _id: 1 }).toArray();
      assert.deepEqual(seen, [
        { _id: '1', n: 1 },
        { _id: '2', n: 2 },
      ]);
      assert.equal(await items.countDocuments({ _id: '3' }, { session }), 0);
      await assert.rejects(
        items.updateOne({ _id: '1' }, { $inc: { n: 1 } }, { session }),
        withLabel(112, 'TransientTransactionError'),
      );
      await assert.rejects(items.findOne({ _id: '1' }, { session }), isCode(251));
    });

    it('loses at once against an open transaction, and both have their effect once it is tried again', async () => {
      const first = transaction();
      await items.updateOne({ _id: '1' }, { $inc: { n: 10 } }, { session: first });
      let attempts = 0;
      await db.client.withSession((second) =>
        second.withTransaction(async () => {
          attempts += 1;
          if (attempts === 2) await first.commitTransaction();
          await items.updateOne({ _id: '1' }, { $inc: { n: 100 } }, { session: second });
        }),
      );
      assert.deepEqual([attempts, (await item('1'))?.n], [2, 111]);
    });

    it('conflicts over a value of a unique index too', async () => {
      await items.createIndex({ kind: 1 }, { unique: true, sparse: true });
      const [first, second] = [transaction(), transaction()];
      await items.insertOne({ _id: '3', kind: 'a' }, { session: first });
      await assert.rejects(items.insertOne({ _id: '4', kind: 'a' }, { session: second }), isCode(112));
      await first.commitTransaction();
      await assert.rejects(items.insertOne({ _id: '4', kind: 'a' }), isCode(11000));
    });

    it('makes a plain write to its documents wait for its end', async () => {
      const session = transaction();
      await items.updateOne({ _id: '1' }, { $inc: { n: 10 } }, { session });
      const plain = items.updateOne({ _id: '1' }, { $mul: { n: 2 } });
      while (arrived('update') < 2) await db.command({ ping: 1 });
      assert.equal((await item('1'))?.n, 1);
      await session.commitTransaction();
      await plain;
      assert.equal((await item('1'))?.n, 22);
    });

    it('is refused by a standalone server', async () => {
      const standalone = await startMongoDouble({ standalone: true });
      const client = await connect({}, standalone.url);
      const alone = client.db('shop').collection<Item>('items');
      await alone.insertOne({ _id: '1' });
      const insert = client.withSession((session) =>
        session.withTransaction(() => alone.insertOne({ _id: '2' }, { session })),
      );
      await assert.rejects(insert, isCode(20));
      assert.equal(await alone.countDocuments(), 1);
      await client.close();
      await standalone.close();
    });
  });
});
