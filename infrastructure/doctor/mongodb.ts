import { type Check, clockFinding, type Finding, ok, warn } from '../../application/maintenance/finding.js';
import { projections } from '../../projections/index.js';
import { connectMongo, inTime, type MongoConnection } from '../mongodb/connection.js';
import { missingIndexes } from '../mongodb/indexes.js';
import { checkpointId, currentCollections, type StoredCheckpoint } from '../mongodb/live.js';
import type { SharedConnections } from './shared-connections.js';

const minVersion = 6;
const maxTransactionSeconds = 30;
const connectionAdvice = 'check that MongoDB runs as a replica set and that MONGODB_URL points to it';

const server = async ({ client }: MongoConnection): Promise<readonly Finding[]> => {
  const admin = client.db('admin');
  const { version = '' } = await inTime(admin.command({ buildInfo: 1 }));
  const { setName } = await inTime(admin.command({ hello: 1 }));
  const found = `version ${version}, ${setName ? `replica set ${setName}` : 'behind mongos'}`;
  return [Number.parseInt(version, 10) < minVersion ? warn(found, `use MongoDB ${minVersion} or later`) : ok(found)];
};

/**
 * Checks the time after which the server aborts an open transaction. Reading the parameter requires the permission for
 * getParameter.
 */
const transactions = async ({ client }: MongoConnection): Promise<readonly Finding[]> => {
  const name = 'transactionLifetimeLimitSeconds';
  const answer = await inTime(client.db('admin').command({ getParameter: 1, [name]: 1 })).catch(() => null);
  const seconds = answer?.[name] as number | undefined;
  if (seconds === undefined) return [ok('lifetime unknown: the user may not read server parameters')];
  const found = `the server aborts an abandoned transaction after ${seconds} s`;
  const advice = `start mongod with --setParameter ${name}=5: a projector that dies blocks the read models for this time`;
  return [seconds > maxTransactionSeconds ? warn(found, advice) : ok(found)];
};

const indexes = async ({ db }: MongoConnection): Promise<readonly Finding[]> => {
  const checkpoint = await inTime(db.collection<StoredCheckpoint>('checkpoints').findOne({ _id: checkpointId }));
  const missing = await inTime(missingIndexes(db, currentCollections(checkpoint?.live ?? {}, projections)));
  if (missing.length === 0) return [ok('every declared index exists')];
  const advice = 'start the service, which creates missing indexes; drop indexes that were changed by hand first';
  return [
    warn(`${missing.length} are missing or differ from the declared ones: ${missing.slice(0, 3).join(', ')}`, advice),
  ];
};

const clock = async ({ client }: MongoConnection): Promise<readonly Finding[]> => {
  const askedAt = Date.now();
  const { localTime } = await inTime(client.db('admin').command({ hello: 1 }));
  return [clockFinding('MongoDB', (localTime as Date).getTime(), (askedAt + Date.now()) / 2)];
};

export const mongoChecks = (url: string, namespace: string, opened: SharedConnections): readonly Check[] => {
  const connection = opened.once(() => connectMongo(url, namespace));
  const probes = { MongoDB: server, 'MongoDB transactions': transactions, indexes, 'clock of MongoDB': clock };
  return Object.entries(probes).map(([name, probe]) => ({
    name,
    advice: connectionAdvice,
    run: async () => probe(await connection()),
  }));
};
