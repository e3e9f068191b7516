import { MongoServerError } from 'mongodb';
import { noEntry, type StateStore } from '../../application/ports/state.js';
import { defaultDeadlines } from '../deadlines.js';
import { connectMongo } from './connection.js';

type Stored = { _id: string; value: string; revision: number };
const duplicateKey = 11_000;
const idsAtOnce = 1000;

export const mongoState = async (url: string, namespace = '', deadlines = defaultDeadlines): Promise<StateStore> => {
  const { db, inTime, close } = await connectMongo(url, namespace, deadlines);
  const entries = (bucket: string) => db.collection<Stored>(bucket, { writeConcern: { w: 'majority', journal: true } });

  const create = async (bucket: string, id: string, value: string) => {
    try {
      await entries(bucket).insertOne({ _id: id, value, revision: 1 });
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === duplicateKey) return false;
      throw error;
    }
  };
  const replace = async (bucket: string, id: string, value: string, revision: number) => {
    const change = { $set: { value }, $inc: { revision: 1 } };
    const { matchedCount } = await entries(bucket).updateOne({ _id: id, revision }, change);
    return matchedCount === 1;
  };

  return {
    get: async (bucket, id) => {
      const found = await inTime(entries(bucket).findOne({ _id: id }));
      return found && { value: found.value, revision: found.revision };
    },
    ids: async (bucket, after) => {
      const found = entries(bucket).find({ _id: { $gt: after } }, { projection: { _id: 1 } });
      return (await inTime(found.sort({ _id: 1 }).limit(idsAtOnce).toArray())).map(({ _id }) => _id);
    },
    put: (bucket, id, value, expected) =>
      inTime(expected === noEntry ? create(bucket, id, value) : replace(bucket, id, value, expected)),
    destroy: async (bucket, id) => {
      await inTime(entries(bucket).deleteOne({ _id: id }));
    },
    close,
  };
};
