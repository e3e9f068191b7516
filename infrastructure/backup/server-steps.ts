import type { BackupManifest, Engines, ServerStep } from '../../application/maintenance/backup.js';
import type { Config } from '../config.js';
import { databaseIn } from '../mongodb/connection.js';
import { storeFiles } from './manifest.js';

export const enginesOf = ({ eventStoreUrl, mongodbUrl, redisUrl }: Config): Engines => ({
  events: eventStoreUrl === undefined ? 'embedded' : 'EventStoreDB',
  state: mongodbUrl === undefined ? 'embedded' : 'MongoDB',
  queue: redisUrl === undefined ? 'embedded' : 'Redis',
});

/** Returns the names of the embedded stores; a backup contains the files of these stores. */
export const embeddedStores = (engines: Engines) =>
  (['state', 'events'] as const).filter((store) => engines[store] === 'embedded');

const eventStoreAction =
  'Copy the data directory of the server as its documentation describes: the *.chk files first, then the chunks; or take one snapshot of the disk.';

/**
 * Returns the steps by which an operator backs up the servers, in an order that keeps the copies consistent: the copied
 * process state must not be newer than the copied events, and the copied vault must not be older than the copied
 * events. URLs are left out, because they may contain passwords.
 */
export const serverSteps = (engines: Engines, config: Config): readonly ServerStep[] => {
  const database = databaseIn(config.mongodbUrl ?? '', config.namespace);
  const dump = (collection: string) =>
    `mongodump --uri="$MONGODB_URL" --db=${database} --collection=${collection} --out=…/${collection}`;
  const onMongo = (collection: string, order: string): ServerStep => ({
    engine: 'MongoDB',
    data: collection,
    action: `${dump(collection)}${engines.events === 'embedded' ? `   (${order} chainfold backup)` : ''}`,
  });
  return [
    ...(engines.state === 'MongoDB' ? [onMongo('processes', 'before')] : []),
    ...(engines.events === 'EventStoreDB'
      ? [{ engine: 'EventStoreDB', data: 'events', action: eventStoreAction }]
      : []),
    ...(engines.state === 'MongoDB' ? [onMongo('vault', 'after')] : []),
    ...(engines.events === 'EventStoreDB' && engines.state === 'embedded'
      ? [
          {
            engine: 'embedded',
            data: 'vault',
            action:
              'Issue no credential and register no webhook between chainfold backup and the copy of EventStoreDB: their keys would be missing.',
          },
        ]
      : []),
  ];
};

/** Returns whether a backup contains the files of all stores, so that nothing on servers has to be restored. */
export const isWhole = ({ files }: BackupManifest) =>
  Object.values(storeFiles).every((wanted) => files.some(({ name }) => name === wanted));
