import assert from 'node:assert/strict';
import { type Collection, type Db, MongoClient, type MongoClientOptions, MongoServerError } from 'mongodb';
import { type MongoDouble, startMongoDouble } from '../../support/mongodb-double/server.js';

type Item = { _id: string; n?: number; kind?: string; place?: { city?: string }; tags?: string[]; made?: boolean };

const isCode = (code: number, label?: string) => (error: unknown) =>
  error instanceof MongoServerError && error.code === code && (label === undefined || error.hasErrorLabel(label));

describe('the MongoDB double', () => {
  const opened: { close(): Promise<void> }[] = [];
  let double: MongoDouble;
  let db: Db;
  let items: Collection<Item>;

  const connect = async (options: MongoClientOptions = {}, url = double.url) => {
    const client = new MongoClient(url, options);
    opened.unshift(client);
    return (await client.connect()).db('shop');
  };
  beforeEach(async () => {
    double = await startMongoDouble();
    opened.unshift(double);
    db = await connect();
    items = db.collection<Item>('items');
  });
  afterEach(async () => {
    double.mute(false);
    for (const one of opened.splice(0)) await one.close();
  });
  const item = (_id: string) => items.findOne({ _id });
  const numbered = (...numbers: number[]) => items.insertMany(numbers.map((n) => ({ _id: String(n), n })));
  const transaction = () => {
    const session = db.client.startSession();
    session.startTransaction();
    return session;
  };
  const arrived = (name: string) => double.commands.filter((command) => command === name).length;

  describe('with documents', () => {
    it('stores and lists indexes, and rejects another one under the same name', async () => {
      const partial = { unique: true, partialFilterExpression: { kind: 'a' } };
      await items.createIndexes([
        { key: { kind: 1, n: -1 }, name: 'by-kind' },
        { key: { n: 1 }, name: 'numbers', ...partial },
      ]);
      await items.createIndex({ kind: 1, n: -1 }, { name: 'by-kind' });
      const known = [{ v: 2, key: { _id: 1 }, name: '_id_' }];
      const numbers = { v: 2, key: { n: 1 }, name: 'numbers', ...partial };
      assert.deepEqual(await items.indexes(), [...known, { v: 2, key: { kind: 1, n: -1 }, name: 'by-kind' }, numbers]);
      await assert.rejects(items.createIndex({ other: 1 }, { name: 'by-kind' }), isCode(86));
      await assert.rejects(items.createIndex({ kind: 1, n: -1 }, { name: 'again' }), isCode(85));
      await items.dropIndex('by-kind');
      assert.deepEqual(await items.indexes(), [...known, numbers]);
    });

    it('rejects a second document with the same _id or the same value of a unique index', async () => {
      await items.createIndex({ n: 1 }, { unique: true, partialFilterExpression: { kind: 'a' } });
      await items.insertOne({ _id: '1', n: 1, kind: 'a' });
      await assert.rejects(items.insertOne({ _id: '1' }), isCode(11000));
      await assert.rejects(items.insertOne({ _id: '2', n: 1, kind: 'a' }), isCode(11000));
      await items.insertOne({ _id: '3', n: 1, kind: 'b' });
      await assert.rejects(items.updateOne({ _id: '3' }, { $set: { kind: 'a' } }), isCode(11000));
      await items.deleteOne({ _id: '1' });
      await items.updateOne({ _id: '3' }, { $set: { kind: 'a' } });
      await items.insertOne({ _id: '4', n: 1 });
      await assert.rejects(items.createIndex({ made: 1 }, { unique: true }), isCode(11000));
    });

    it('stops at the first rejected document of an ordered insert, and continues an unordered one', async () => {
      await assert.rejects(numbered(1, 1, 2), isCode(11000));
      assert.equal(await items.countDocuments(), 1);
      await assert.rejects(items.insertMany([{ _id: '1' }, { _id: '2' }], { ordered: false }), isCode(11000));
      assert.equal(await items.countDocuments(), 2);
    });

    it('finds by comparison, sorts by several fields, limits, projects and returns batches', async () => {
      const row = (_: unknown, n: number) => ({ _id: `i${n}`, n: n % 50, kind: n % 2 ? 'a' : 'b' });
      await items.insertMany(Array.from({ length: 250 }, row));
      assert.equal((await items.find().toArray()).length, 250);
      assert.ok(arrived('getMore') > 0);
      const either = [{ n: { $lt: 3 } }, { n: 3, _id: { $in: ['i3', 'i53'] } }];
      const page = items.find({ kind: 'a', $or: either }).sort({ n: -1, _id: 1 }).skip(1).limit(3);
      const rows = (await page.project({ n: 1 }).toArray()).map((row) => JSON.stringify(row));
      assert.deepEqual(rows, ['{"_id":"i53","n":3}', '{"_id":"i1","n":1}', '{"_id":"i101","n":1}']);
      const some = await items.find({ _id: { $in: ['i9', 'i1', 'nothing'] } }).toArray();
      assert.equal(some.map(({ _id }) => _id).join(), 'i1,i9');
      assert.equal(await items.countDocuments({ $and: [{ n: { $gte: 10 } }, { n: { $lte: 11 } }] }), 10);
    });

    it('looks into arrays and nested documents', async () => {
      await items.insertOne({ _id: '1', place: { city: 'Rome' }, tags: ['x', 'y'] });
      assert.ok(await items.findOne({ tags: 'y', 'place.city': 'Rome', kind: { $exists: false } }));
      assert.equal(await items.findOne({ tags: 'z' }), null);
      await items.updateOne({ _id: '1', tags: 'x' }, { $set: { 'tags.$': 'w', 'place.city': 'Pisa' } });
      assert.deepEqual(await item('1'), { _id: '1', place: { city: 'Pisa' }, tags: ['w', 'y'] });
    });

    it('upserts, replaces and updates many, alone and in bulk, and counts the changes', async () => {
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
      assert.deepEqual([await item('1'), await item('2')], [{ _id: '1', n: 8 }, null]);
      assert.deepEqual(await item('3'), { _id: '3', kind: 'a', made: true, n: 1 });
    });

    it('finds and modifies in one step', async () => {
      await numbered(1, 2);
      const before = await items.findOneAndUpdate({}, { $inc: { n: 10 } }, { sort: { n: -1 } });
      const after = { returnDocument: 'after', upsert: true } as const;
      const changed = await items.findOneAndUpdate({ _id: '2' }, { $inc: { n: 1 } }, after);
      const made = await items.findOneAndUpdate({ _id: '3' }, { $set: { n: 3 } }, after);
      const removed = await items.findOneAndDelete({ _id: '3' });
      const missed = await items.findOneAndUpdate({ _id: '3' }, { $set: { n: 3 } });
      assert.deepEqual([before?.n, changed?.n, made?.n, removed?.n, missed], [2, 13, 3, 3, null]);
    });

    it('explains which index serves a query, or that none does', async () => {
      await items.createIndex({ kind: 1, n: -1 }, { name: 'by-kind' });
      const plan = async (filter: object, sort = {}) =>
        JSON.stringify((await items.find(filter).sort(sort).explain()).queryPlanner.winningPlan);
      assert.match(await plan({ kind: 'a' }, { n: 1 }), /^\{"stage":"FETCH".*IXSCAN.*by-kind/);
      assert.match(await plan({ kind: 'a' }, { made: 1 }), /^\{"stage":"SORT".*IXSCAN/);
      assert.match(await plan({ n: 1 }), /COLLSCAN/);
    });

    it('aggregates, lists collections and drops them', async () => {
      await numbered(1, 2, 3);
      const sums = items.aggregate([{ $match: { n: { $gt: 1 } } }, { $group: { _id: 'sum', n: { $sum: '$n' } } }]);
      assert.deepEqual(await sums.toArray(), [{ _id: 'sum', n: 5 }]);
      assert.deepEqual([await items.distinct('n'), await items.estimatedDocumentCount()], [[1, 2, 3], 3]);
      await db.createCollection('others');
      const names = async () => (await db.listCollections().toArray()).map(({ name }) => name).join();
      assert.equal(await names(), 'items,others');
      await items.drop();
      assert.equal(await names(), 'others');
      await db.dropDatabase();
      assert.equal(await names(), '');
    });
  });

  describe('with a transaction', () => {
    const ids = async (options = {}) => (await items.find({}, options).toArray()).map(({ _id }) => _id).join();
    beforeEach(() => numbered(1, 2));

    it('shows its writes to itself immediately, and to others all together at the commit', async () => {
      const session = transaction();
      await items.updateOne({ _id: '1' }, { $inc: { n: 10 } }, { session });
      await items.insertOne({ _id: '3' }, { session });
      await items.deleteOne({ _id: '2' }, { session });
      assert.deepEqual([await ids({ session }), await ids(), (await item('1'))?.n], ['1,3', '1,2', 1]);
      await session.commitTransaction();
      assert.deepEqual([await ids(), (await item('1'))?.n], ['1,3', 11]);
    });

    it('keeps nothing of it when it is aborted, even by a rejected write', async () => {
      const session = transaction();
      await items.insertOne({ _id: '3' }, { session });
      await session.abortTransaction();
      session.startTransaction();
      await items.insertOne({ _id: '4' }, { session });
      await assert.rejects(items.insertOne({ _id: '1' }, { session }), isCode(11000));
      await assert.rejects(session.commitTransaction(), isCode(251, 'TransientTransactionError'));
      assert.equal(await ids(), '1,2');
    });

    it('reads the snapshot of its start, and rejects writes over newer documents', async () => {
      const session = transaction();
      await items.findOne({ _id: '1' }, { session });
      await items.updateOne({ _id: '1' }, { $set: { n: 100 } });
      await items.deleteOne({ _id: '2' });
      await items.insertOne({ _id: '3', n: 3 });
      assert.equal(await ids({ session }), '1,2');
      assert.equal((await items.findOne({ _id: '1' }, { session }))?.n, 1);
      const late = items.updateOne({ _id: '1' }, { $inc: { n: 1 } }, { session });
      await assert.rejects(late, isCode(112, 'TransientTransactionError'));
      await assert.rejects(items.findOne({ _id: '1' }, { session }), isCode(251));
    });

    it('rejects the second of two conflicting transactions immediately, and accepts its retry', async () => {
      const first = transaction();
      await items.updateOne({ _id: '1' }, { $inc: { n: 10 } }, { session: first });
      let attempts = 0;
      await db.client.withSession((session) =>
        session.withTransaction(async () => {
          attempts += 1;
          if (attempts === 2) await first.commitTransaction();
          await items.updateOne({ _id: '1' }, { $inc: { n: 100 } }, { session });
        }),
      );
      assert.deepEqual([attempts, (await item('1'))?.n], [2, 111]);
    });

    it('reports a conflict over a value of a unique index too', async () => {
      await items.createIndex({ kind: 1 }, { unique: true, sparse: true });
      const [first, second] = [transaction(), transaction()];
      await items.insertOne({ _id: '3', kind: 'a' }, { session: first });
      await assert.rejects(items.insertOne({ _id: '4', kind: 'a' }, { session: second }), isCode(112));
      await first.commitTransaction();
      await assert.rejects(items.insertOne({ _id: '4', kind: 'a' }), isCode(11000));
    });

    it('makes a plain write to the same documents wait for its end', async () => {
      const session = transaction();
      await items.updateOne({ _id: '1' }, { $inc: { n: 10 } }, { session });
      const plain = items.updateOne({ _id: '1' }, { $mul: { n: 2 } });
      while (arrived('update') < 2) await db.command({ ping: 1 });
      assert.equal((await item('1'))?.n, 1);
      await session.commitTransaction();
      await plain;
      assert.equal((await item('1'))?.n, 22);
    });

    it("rejects it as a standalone server, with the driver's own message for writes", async () => {
      const standalone = await startMongoDouble({ standalone: true });
      opened.push(standalone);
      const alone = (await connect({}, standalone.url)).collection<Item>('items');
      await alone.insertOne({ _id: '1' });
      await alone.db.client.withSession(async (session) => {
        await assert.rejects(
          session.withTransaction(() => alone.findOne({}, { session })),
          isCode(20),
        );
        const insert = session.withTransaction(() => alone.insertOne({ _id: '2' }, { session }));
        await assert.rejects(insert, /does not support retryable writes/);
      });
      assert.equal(await alone.countDocuments(), 1);
    });
  });

  describe('with faults', () => {
    const increase = (_id: string) =>
      db.client.withSession((session) =>
        session.withTransaction(() => items.updateOne({ _id }, { $inc: { n: 10 } }, { session })),
      );
    beforeEach(() => numbered(1));

    it('fails a command as often as requested, with the given label or those of the server', async () => {
      double.failCommand('find', 2, 2);
      for (const _ of ['once', 'twice']) await assert.rejects(item('1'), isCode(2));
      assert.equal((await item('1'))?.n, 1);
      double.failCommand('insert', 2, 1, { label: 'SomeLabel' });
      await assert.rejects(items.insertOne({ _id: '2' }), isCode(2, 'SomeLabel'));
      double.failCommand('update', 91);
      await increase('1');
      assert.deepEqual([arrived('update'), (await item('1'))?.n], [2, 11]);
    });

    it('applies a write once when the driver retries it after a lost response', async () => {
      double.failCommand('update', 6, 1, { when: 'after' });
      await items.updateOne({ _id: '1' }, { $inc: { n: 10 } });
      assert.deepEqual([arrived('update'), (await item('1'))?.n], [2, 11]);
    });

    for (const label of ['RetryableWriteError', 'UnknownTransactionCommitResult'])
      it(`commits once when the response to the commit is lost with ${label}`, async () => {
        double.failCommand('commitTransaction', 6, 1, { when: 'after', label });
        await increase('1');
        assert.deepEqual([arrived('commitTransaction'), (await item('1'))?.n], [2, 11]);
      });

    it('drops connections, and the driver makes new ones', async () => {
      await item('1');
      double.dropConnections();
      await items.updateOne({ _id: '1' }, { $inc: { n: 10 } });
      assert.equal((await item('1'))?.n, 11);
    });

    it('restarts on its port with its data, without open transactions', async () => {
      const session = transaction();
      await items.updateOne({ _id: '1' }, { $inc: { n: 10 } }, { session });
      await double.stop();
      await assert.rejects(connect({ serverSelectionTimeoutMS: 100 }), { name: 'MongoServerSelectionError' });
      await double.start();
      await assert.rejects(session.commitTransaction(), isCode(251, 'TransientTransactionError'));
      assert.equal((await item('1'))?.n, 1);
    });
  });
});
