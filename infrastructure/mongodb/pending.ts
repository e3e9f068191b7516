import { type AnyBulkWriteOperation, type Filter, MongoBulkWriteError } from 'mongodb';
import type { PendingTransaction, PendingTransactions } from '../../application/ports/pending.js';
import { defaultDeadlines } from '../deadlines.js';
import { padded } from '../padded-nonce.js';
import { connectMongo } from './connection.js';

type Stored = { _id: string; from: string; nonce: string; firstSeen: number; told: Record<string, string> };

const scannedAtOnce = 100;
const duplicateKey = 11_000;

const readStored = ({ _id, from, nonce, firstSeen, told }: Stored): PendingTransaction => ({
  hash: _id,
  from,
  nonce: BigInt(nonce),
  firstSeen,
  fields: told,
});

/**
 * Selects the transactions after the given one. The first condition lets the query start at the given time in the
 * index. The second condition skips transactions of the same time whose hash is not greater.
 */
const after = ({ firstSeen, hash }: PendingTransaction): Filter<Stored> => ({
  firstSeen: { $gte: firstSeen },
  $or: [{ firstSeen: { $gt: firstSeen } }, { _id: { $gt: hash } }],
});

const oldestFirst = { firstSeen: 1, _id: 1 } as const;

export const mongoPending = async (
  url: string,
  namespace = '',
  deadlines = defaultDeadlines,
): Promise<PendingTransactions> => {
  const { db, inTime, close } = await connectMongo(url, namespace, deadlines);
  const pending = db.collection<Stored>('pending_transactions');
  const indexes = [
    { name: 'by_sender', key: { from: 1, nonce: 1, firstSeen: 1, _id: 1 } },
    { name: 'by_time', key: oldestFirst },
  ] as const;
  await inTime(pending.createIndexes(indexes.map(({ name, key }) => ({ name, key: { ...key } })))).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );

  const write = async (operations: AnyBulkWriteOperation<Stored>[]) => {
    if (operations.length > 0) await inTime(pending.bulkWrite(operations, { ordered: false }));
  };
  const insert = async (stored: Stored[]) => {
    try {
      await pending.insertMany(stored, { ordered: false });
    } catch (error) {
      // Duplicate keys are ignored: the transaction is already stored, with the time when the first process saw it.
      const isKnown =
        error instanceof MongoBulkWriteError && [error.writeErrors].flat().every((one) => one.code === duplicateKey);
      if (!isKnown) throw error;
    }
  };
  const removeBeyond = async (most: number) => {
    const excess = (await pending.estimatedDocumentCount()) - most;
    if (excess <= 0) return;
    const oldest = await pending
      .find({}, { projection: { _id: 1 } })
      .sort(oldestFirst)
      .limit(excess)
      .toArray();
    await pending.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
  };

  return {
    add: async (transactions) => {
      const stored = transactions.map(({ hash, nonce, fields, ...rest }) => ({
        _id: hash,
        nonce: padded(nonce),
        told: { ...fields },
        ...rest,
      }));
      if (stored.length > 0) await inTime(insert(stored));
    },
    find: async (hash) => {
      const found = await inTime(pending.findOne({ _id: hash }));
      return found && readStored(found);
    },
    listFrom: async (from, nonce) => {
      const filter = { from, ...(nonce !== undefined && { nonce: padded(nonce) }) };
      const found = pending.find(filter).sort({ nonce: 1, firstSeen: 1, _id: 1 });
      return (await inTime(found.toArray())).map(readStored);
    },
    scan: async (last) => {
      const found = pending.find(last ? after(last) : {}).sort(oldestFirst);
      return (await inTime(found.limit(scannedAtOnce).toArray())).map(readStored);
    },
    forget: (hashes) => write(hashes.map((_id) => ({ deleteOne: { filter: { _id } } }))),
    forgetUsed: (used) =>
      write(used.map(({ from, nonce }) => ({ deleteMany: { filter: { from, nonce: { $lte: padded(nonce) } } } }))),
    trim: async (since, most) => {
      await inTime(pending.deleteMany({ firstSeen: { $lt: since } }));
      await inTime(removeBeyond(most));
    },
    close,
  };
};
