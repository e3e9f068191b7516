import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { MovePlace, MovePorts } from '../application/maintenance/migrate.js';
import { aggregates } from '../domain/aggregates.js';
import { BadSetting, type Config } from './config.js';
import { eventStoreDb } from './eventstoredb/event-store.js';
import { givenKeyRing } from './master-key.js';
import { mongoState } from './mongodb/state.js';
import { createNotary } from './notary.js';
import { redisLimiter } from './redis/limiter.js';
import { isUsedDirectory, lockDirectory } from './sqlite/directory-lock.js';
import { sqliteEventStore } from './sqlite/events/event-store.js';
import { sqliteLimiter } from './sqlite/limiter/limiter.js';
import { sqliteState } from './sqlite/state.js';
import { sha256 } from './system.js';
import { firstUnopened, signingSeed, storesKeyId } from './vault.js';

type Closable = { close(): Promise<void> };

const needed = (name: string): never => {
  throw new BadSetting(`${name} is needed to move data between the data directory and the services`);
};

/**
 * Opens both ends of a move and locks the data directory; that no service uses the engines meanwhile is up to the
 * operator.
 */
export const openMigration = async (
  config: Config,
  to: 'services' | 'embedded',
): Promise<{ ports: MovePorts; close(): Promise<void> }> => {
  const { dataDirectory, redisUrl, namespace, masterKey = needed('CHAINFOLD_MASTER_KEY') } = config;
  const eventStoreUrl = config.eventStoreUrl ?? needed('EVENTSTORE_URL');
  const mongodbUrl = config.mongodbUrl ?? needed('MONGODB_URL');
  if (to === 'services' && !isUsedDirectory(dataDirectory))
    throw new BadSetting(`CHAINFOLD_DATA_DIR: there are no embedded stores in ${dataDirectory}`);
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(dataDirectory);
  const opened: Closable[] = [];
  const kept = <T extends Closable>(one: T) => {
    opened.push(one);
    return one;
  };
  const close = async () => {
    await Promise.all(opened.map((one) => one.close()));
    lock.release();
  };
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const file = (name: string) => join(dataDirectory, name);
  try {
    const embedded: MovePlace = {
      engine: 'the data directory',
      events: kept(await sqliteEventStore(file('events.db'))),
      state: kept(await sqliteState(file('state.db'))),
      ...(redisUrl !== undefined && { limiter: kept(await sqliteLimiter(file('limiter.db'), Date.now)) }),
    };
    const services: MovePlace = {
      engine: 'EventStoreDB',
      events: kept(await eventStoreDb(eventStoreUrl, aggregates, namespace)),
      state: kept(await mongoState(mongodbUrl, namespace)),
      ...(redisUrl !== undefined && { limiter: kept(await redisLimiter(redisUrl, log, namespace)) }),
    };
    const ring = givenKeyRing(masterKey, config.previousMasterKey);
    const ends = to === 'services' ? { from: embedded, to: services } : { from: services, to: embedded };
    const ports: MovePorts = {
      ...ends,
      staysBehind: ({ bucket, id }) => bucket === 'vault' && id === storesKeyId,
      firstUnopened: (state) => firstUnopened(state, ring),
      notary: async (state) => createNotary(await signingSeed(state, ring, 'audit-signing')),
      sha256,
    };
    return { ports, close };
  } catch (error) {
    await close();
    throw error;
  }
};
