import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { MovePlace, MovePorts } from '../application/maintenance/migrate.js';
import { aggregates } from '../domain/aggregates.js';
import { BadSetting, type Config } from './config.js';
import { eventStoreDb } from './eventstoredb/event-store.js';
import { givenKeyRing } from './master-key.js';
import { mongoState } from './mongodb/state.js';
import { redisLimiter } from './redis/limiter.js';
import { isUsedDirectory, lockDirectory } from './sqlite/directory-lock.js';
import { sqliteEventStore } from './sqlite/event-store.js';
import { sqliteLimiter } from './sqlite/limiter.js';
import { sqliteState } from './sqlite/state.js';
import { sha256 } from './system.js';
import { firstUnopened, storesKeyId } from './vault.js';

type Closable = { close(): Promise<void> };

const needed = (name: string): never => {
  throw new BadSetting(`${name} is needed: the services to move to or from`);
};

/** Both ends of a move; nothing else may use them meanwhile, which a data directory can make sure of. */
export const openMove = async (
  config: Config,
  to: 'services' | 'embedded',
): Promise<{ ports: MovePorts; close(): Promise<void> }> => {
  const { dataDirectory, redisUrl, masterKey = needed('CHAINFOLD_MASTER_KEY') } = config;
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
      events: kept(await sqliteEventStore(file('events.db'))),
      state: kept(await sqliteState(file('state.db'))),
      ...(redisUrl !== undefined && { limiter: kept(await sqliteLimiter(file('limiter.db'), Date.now)) }),
    };
    const services: MovePlace = {
      events: kept(eventStoreDb(eventStoreUrl, aggregates)),
      state: kept(await mongoState(mongodbUrl)),
      ...(redisUrl !== undefined && { limiter: kept(await redisLimiter(redisUrl, log)) }),
    };
    const ring = givenKeyRing(masterKey, config.previousMasterKey);
    const ends = to === 'services' ? { from: embedded, to: services } : { from: services, to: embedded };
    const ports: MovePorts = {
      ...ends,
      staysBehind: ({ bucket, id }) => bucket === 'vault' && id === storesKeyId,
      firstUnopened: (state) => firstUnopened(state, ring),
      sha256,
    };
    return { ports, close };
  } catch (error) {
    await close();
    throw error;
  }
};
