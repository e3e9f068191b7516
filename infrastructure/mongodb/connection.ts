import { type Db, MongoClient } from 'mongodb';
import { Failure } from '../../domain/failure.js';
import { withDeadline } from '../deadline.js';
import { defaultDeadlines } from '../deadlines.js';
import { unavailable } from '../unavailable.js';

/**
 * Timeout in ms for a commit of the projector. Longer than the default deadline, because the commit may be large and no
 * caller waits for it.
 */
export const commitTimeoutMs = 20_000;
const defaultDatabase = 'chainfold';

export type MongoConnection = {
  readonly client: MongoClient;
  readonly db: Db;
  readonly inTime: InTime;
  close(): Promise<void>;
};

const tooLarge = 10_334;

/**
 * Throws a Failure if the error of the server or of the driver means that a document exceeds MongoDB's size limit.
 * Rethrows every other error.
 */
const rejectTooLarge = (error: unknown): never => {
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (code === tooLarge || /larger than the maximum size/.test(message))
    throw new Failure('FAILED_PRECONDITION', 'A document is larger than 16 MB, the limit of MongoDB.');
  throw error;
};

/**
 * Limits the wait for a response to `ms`, because the driver's own timeout is longer if a server accepts connections
 * but does not respond.
 */
export type InTime = <T>(work: Promise<T>, ms?: number) => Promise<T>;
const inTimeOf =
  (deadlineMs: number): InTime =>
  (work, ms = deadlineMs) =>
    withDeadline(work, ms).catch(rejectTooLarge).catch(unavailable('MongoDB'));
/**
 * Limits the wait for background work, such as a rebuild, to `ms` or, if that is absent, to the default deadline.
 */
export const inTime = inTimeOf(defaultDeadlines.deadlineMs);

/**
 * Returns the name of the database: the name in the URL, preceded by the namespace and an underscore if there is a
 * namespace. Namespaces contain no underscore, so no two of them share a database name.
 */
export const databaseIn = (url: string, namespace: string) => {
  const own = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? defaultDatabase;
  return namespace === '' ? own : `${namespace}_${own}`;
};

/**
 * Rejects a standalone server, because documents and their checkpoint change in one transaction, which needs a replica
 * set.
 */
const requireReplicaSet = async (client: MongoClient) => {
  const { setName, msg } = await client.db('admin').command({ hello: 1 });
  if (!setName && msg !== 'isdbgrid')
    throw new Failure(
      'FAILED_PRECONDITION',
      'MONGODB_URL points to a standalone server. Use a replica set; a single member is enough.',
    );
};

export const connectMongo = async (
  url: string,
  namespace = '',
  deadlines = defaultDeadlines,
): Promise<MongoConnection> => {
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: deadlines.serverMs,
    connectTimeoutMS: deadlines.connectMs,
    socketTimeoutMS: Math.max(commitTimeoutMs, deadlines.abandonedMs),
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
  return { client, db: client.db(databaseIn(url, namespace)), inTime: inTimeOf(deadlines.deadlineMs), close };
};
