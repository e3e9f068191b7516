import { join } from 'node:path';
import { pino } from 'pino';
import type { MigrationPorts, MigrationStores } from '../application/maintenance/migrate.js';
import { isHeartbeat } from '../application/processes/heartbeats.js';
import { aggregates } from '../domain/aggregates.js';
import type { Config } from './config.js';
import { eventStoreDb } from './eventstoredb/event-store.js';
import { openNotary } from './keys/audit-key.js';
import { givenKeyRing } from './keys/master-key.js';
import { firstUnreadableKey, storesKeyId } from './keys/vault.js';
import { mongoState } from './mongodb/state.js';
import { redisLimiter } from './redis/limiter.js';
import { BadSetting } from './settings/bad-setting.js';
import { requireDataDirectory } from './sqlite/data-directory.js';
import { isUsedDirectory, lockDirectory } from './sqlite/directory-lock.js';
import { sqliteEventStore } from './sqlite/events/event-store.js';
import { sqliteLimiter } from './sqlite/limiter/limiter.js';
import { sqliteState } from './sqlite/state.js';
import { sha256 } from './system.js';

type Closable = { close(): Promise<void> };

const failMissing = (name: string): never => {
  throw new BadSetting(`${name} is required to migrate between the data directory and the servers. Set it`);
};

/**
 * Opens source and target of a migration and locks the data directory. The operator must ensure that no service uses
 * the servers meanwhile.
 */
export const openMigration = async (
  config: Config,
  to: 'services' | 'embedded',
): Promise<{ ports: MigrationPorts; close(): Promise<void> }> => {
  const { dataDirectory, redisUrl, namespace, masterKey = failMissing('CHAINFOLD_MASTER_KEY') } = config;
  const eventStoreUrl = config.eventStoreUrl ?? failMissing('EVENTSTORE_URL');
  const mongodbUrl = config.mongodbUrl ?? failMissing('MONGODB_URL');
  if (to === 'services' && !isUsedDirectory(dataDirectory))
    throw new BadSetting(`CHAINFOLD_DATA_DIR: no embedded stores found in ${dataDirectory}`);
  requireDataDirectory(dataDirectory);
  const lock = lockDirectory(dataDirectory);
  const opened: Closable[] = [];
  const closeLater = <T extends Closable>(one: T) => {
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
    const embedded: MigrationStores = {
      engine: 'the data directory',
      events: closeLater(await sqliteEventStore(file('events.db'))),
      state: closeLater(await sqliteState(file('state.db'))),
      ...(redisUrl !== undefined && { limiter: closeLater(await sqliteLimiter(file('limiter.db'), Date.now)) }),
    };
    const services: MigrationStores = {
      engine: 'EventStoreDB',
      events: closeLater(await eventStoreDb(eventStoreUrl, aggregates, namespace)),
      state: closeLater(await mongoState(mongodbUrl, namespace)),
      ...(redisUrl !== undefined && { limiter: closeLater(await redisLimiter(redisUrl, log, namespace)) }),
    };
    const ring = givenKeyRing(masterKey, config.previousMasterKey);
    const ends = to === 'services' ? { from: embedded, to: services } : { from: services, to: embedded };
    const ports: MigrationPorts = {
      ...ends,
      isStoreBound: ({ bucket, id }) => (bucket === 'vault' ? id === storesKeyId : isHeartbeat(id)),
      firstUnreadableKey: (state) => firstUnreadableKey(state, ring),
      notary: (state) => openNotary({ ...ends.from, state }, ring),
      sha256,
      now: Date.now,
    };
    return { ports, close };
  } catch (error) {
    await close();
    throw error;
  }
};
