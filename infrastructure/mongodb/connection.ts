import { type Db, MongoClient } from 'mongodb';
import { Failure } from '../../domain/failure.js';
import { withDeadline } from '../deadline.js';
import { unavailable } from '../unavailable.js';

/** Time for an answer: enough to notice a fail-over of the replica set, little enough for a caller to wait. */
const answerMs = 4000;
const findServerMs = 3000;
/** Time for a commit of the projector, which may be large and which no caller waits for. */
export const maxMs = 20_000;
const defaultDatabase = 'chainfold';

export type MongoConnection = { readonly client: MongoClient; readonly db: Db; close(): Promise<void> };

const tooLarge = 10_334;

/** Tells a document that MongoDB never takes from a server that does not work right now; the driver may refuse it first. */
const refuseTooLarge = (error: unknown): never => {
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (code === tooLarge || /larger than the maximum size/.test(message))
    throw new Failure('FAILED_PRECONDITION', 'a document is larger than 16 MB, the most that MongoDB takes');
  throw error;
};

/**
 * Limits the wait for an answer, because the driver waits long for a server that accepts a connection and stays silent.
 */
export const inTime = <T>(work: Promise<T>, ms = answerMs): Promise<T> =>
  withDeadline(work, ms).catch(refuseTooLarge).catch(unavailable('MongoDB'));

/** Names the database: that of the URL, behind the namespace, which has no underscore itself. */
export const databaseIn = (url: string, namespace: string) => {
  const own = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? defaultDatabase;
  return namespace === '' ? own : `${namespace}_${own}`;
};

/**
 * Refuses a standalone server, because changing documents and checkpoint together takes transactions, and these take a
 * replica set.
 */
const requireReplicaSet = async (client: MongoClient) => {
  const { setName, msg } = await client.db('admin').command({ hello: 1 });
  if (!setName && msg !== 'isdbgrid')
    throw new Failure(
      'FAILED_PRECONDITION',
      'MONGODB_URL names a standalone server; a replica set is needed, of one node at least',
    );
};

export const connectMongo = async (url: string, namespace = ''): Promise<MongoConnection> => {
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: findServerMs,
    connectTimeoutMS: findServerMs,
    socketTimeoutMS: maxMs,
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
  return { client, db: client.db(databaseIn(url, namespace)), close };
};
