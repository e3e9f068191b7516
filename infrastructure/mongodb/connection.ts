import { type Db, MongoClient } from 'mongodb';
import { Failure } from '../../domain/failure.js';
import { withDeadline } from '../deadline.js';
import { unavailable } from '../unavailable.js';

/** Long enough for a fail-over of the replica set to be noticed, short enough for a caller to hear of it. */
const answerMs = 4000;
const findServerMs = 3000;
/** Nobody waits for a commit of the projector; its transaction may be large. */
export const longestMs = 20_000;
const defaultDatabase = 'chainfold';

export type MongoConnection = { readonly client: MongoClient; readonly db: Db; close(): Promise<void> };

/** The driver may wait for long on a server that accepts and says nothing; a caller does not. */
export const inTime = <T>(work: Promise<T>, ms = answerMs): Promise<T> =>
  withDeadline(work, ms).catch(unavailable('MongoDB'));

const databaseIn = (url: string) => /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? defaultDatabase;

/** Documents and their checkpoint change together or not at all, which takes transactions, which take a replica set. */
const requireReplicaSet = async (client: MongoClient) => {
  const { setName, msg } = await client.db('admin').command({ hello: 1 });
  if (!setName && msg !== 'isdbgrid')
    throw new Failure(
      'FAILED_PRECONDITION',
      'MONGODB_URL names a standalone server; a replica set is needed, of one node at least',
    );
};

export const connectMongo = async (url: string): Promise<MongoConnection> => {
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: findServerMs,
    connectTimeoutMS: findServerMs,
    socketTimeoutMS: longestMs,
    w: 'majority',
    retryWrites: true,
    ignoreUndefined: true,
  });
  const close = () => client.close(true);
  try {
    await client.connect();
    await requireReplicaSet(client);
  } catch (error) {
    await close();
    return unavailable('MongoDB')(error);
  }
  return { client, db: client.db(databaseIn(url)), close };
};
