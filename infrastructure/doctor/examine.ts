import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Check,
  type Examined,
  type Finding,
  fail,
  futureFinding,
  ok,
} from '../../application/maintenance/finding.js';
import { createNewerSoftware } from '../../application/maintenance/newer-software.js';
import { createRoleStatuses } from '../../application/maintenance/role-status.js';
import { createStatus } from '../../application/maintenance/status.js';
import { storeChecks } from '../../application/maintenance/store-checks.js';
import { versionChecks } from '../../application/maintenance/version-checks.js';
import type { EventStore } from '../../application/ports/event-store.js';
import type { ReadModels } from '../../application/ports/read-models.js';
import type { Vault } from '../../application/ports/vault.js';
import { createStoppedProjections } from '../../application/projecting/stopped.js';
import { createStuckTransactions } from '../../application/transactions/stuck.js';
import { aggregates } from '../../domain/aggregates.js';
import { Failure } from '../../domain/failure.js';
import { projections } from '../../projections/index.js';
import type { Config } from '../config.js';
import { withDeadline } from '../deadline.js';
import { followsChains } from '../deployment.js';
import { eventStoreDb } from '../eventstoredb/event-store.js';
import { findKeyRing } from '../keys/master-key.js';
import { firstUnreadableKey, stateVault } from '../keys/vault.js';
import { mongoReadModels } from '../mongodb/read-models.js';
import { mongoState } from '../mongodb/state.js';
import { configOf, type Sources } from '../settings/sources.js';
import { sqliteEventStore } from '../sqlite/events/event-store.js';
import { sqliteReadModels } from '../sqlite/read-models/read-models.js';
import { sqliteState } from '../sqlite/state.js';
import { nodeSystem } from '../system.js';
import { examineCredentials } from './credentials.js';
import { eventStoreDbChecks } from './eventstoredb.js';
import { fileChecks } from './files.js';
import { machineChecks } from './machine.js';
import { mongoChecks } from './mongodb.js';
import { nodeChecks } from './nodes.js';
import { redisChecks } from './redis.js';
import { settingChecks } from './settings.js';
import { createSharedConnections, type SharedConnections } from './shared-connections.js';
import { examineWebhooks } from './webhooks.js';

/** Default timeout of a check in milliseconds. A check that has not ended by then counts as failed. */
const checkTimeoutMs = 8000;
const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
const nothingSigned = new Uint8Array(32);

const openStores = ({ dataDirectory, eventStoreUrl, mongodbUrl, namespace }: Config, opened: SharedConnections) => {
  const file = (name: string) => join(dataDirectory, name);
  return {
    events: opened.once(async () =>
      eventStoreUrl === undefined
        ? sqliteEventStore(file('events.db'), 'read')
        : eventStoreDb(eventStoreUrl, aggregates, namespace),
    ),
    state: opened.once(async () =>
      mongodbUrl === undefined ? sqliteState(file('state.db'), 'read') : mongoState(mongodbUrl, namespace),
    ),
    readModels: opened.once(async () =>
      mongodbUrl === undefined
        ? sqliteReadModels(file('read-models.db'), projections, { access: 'read' })
        : mongoReadModels(mongodbUrl, projections, { access: 'read', namespace }),
    ),
  };
};
type Stores = ReturnType<typeof openStores>;

const vaultCheck = (config: Config, { state }: Stores): Check => ({
  name: 'master key',
  advice: 'fix the problem of the state store first',
  run: async () => {
    const ring = findKeyRing(config);
    if (!ring)
      return [
        fail(
          'no key is set and master.key is missing',
          'restore master.key, or set CHAINFOLD_MASTER_KEY to its content',
        ),
      ];
    const unopened = await firstUnreadableKey(await state(), ring);
    if (unopened === null) return [ok('decrypts every key of the vault')];
    const advice = 'set the key that the vault was written with: without it, no stored secret can be decrypted';
    return [fail(`does not decrypt ${unopened.split(':', 1)[0]}`, advice)];
  },
});

type Decrypting = (stores: {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly vault: Vault;
}) => Promise<readonly Finding[]>;
const decryptingCheck = (name: string, config: Config, stores: Stores, examineSecrets: Decrypting): Check => ({
  name,
  advice: 'fix the problems of the stores and of the master key first',
  run: async () => {
    const ring = findKeyRing(config);
    if (!ring) return [];
    const { events, readModels, state } = stores;
    const vault = stateVault(await state(), ring);
    return examineSecrets({ events: await events(), readModels: await readModels(), vault }).catch((error) => {
      // Returns no finding, because other checks report the missing master key or store.
      if (error instanceof Failure && error.code === 'UNAVAILABLE') return [];
      throw error;
    });
  },
});

const embeddedClock = ({ events }: Stores): Check => ({
  name: 'clock',
  advice: 'fix the problem of the event store first',
  run: async () => {
    const newest = await (await events()).newest();
    return [newest ? futureFinding('the newest event', newest.time, Date.now()) : ok('no event to compare with yet')];
  },
});

const storeContentChecks = (config: Config, stores: Stores, opened: SharedConnections): readonly Check[] => {
  const system = nodeSystem({ service: nothingSigned, stores: nothingSigned }, silentLog);
  const noneStopped = { stopped: () => new Map() };
  const own = async () => {
    const state = await stores.state();
    const stops = createStoppedProjections(state);
    return { events: await stores.events(), readModels: await stores.readModels(), state, stops };
  };
  return [
    vaultCheck(config, stores),
    decryptingCheck('credentials', config, stores, examineCredentials),
    decryptingCheck('webhooks', config, stores, examineWebhooks),
    ...(config.eventStoreUrl === undefined ? [embeddedClock(stores)] : []),
    ...storeChecks({
      ...stores,
      status: async () => createStatus({ ...(await own()), projector: noneStopped, projections, system }),
      roles: async () =>
        createRoleStatuses({
          state: await stores.state(),
          readModels: { scan: async (...given) => (await stores.readModels()).scan(...given) },
          system,
          deployment: { followsChains: followsChains(config) },
        }),
      stuck: async () => createStuckTransactions({ readModels: await stores.readModels(), system }),
      stuckSeconds: config.stuckSeconds,
      now: Date.now,
    }),
    ...versionChecks(async () =>
      createNewerSoftware({
        events: await stores.events(),
        // The read models are opened when their generations are listed, not earlier: they may be missing, and the check
        // of the events needs no read models.
        readModels: {
          generations: { listGenerations: async () => (await stores.readModels()).generations.listGenerations() },
        },
        state: await stores.state(),
        projections,
        now: Date.now,
      }),
    ),
    ...nodeChecks(config, { opened, state: stores.state, log: silentLog }),
  ];
};

/** Returns whether no service was ever started on the data directory, so that its stores do not exist yet. */
const isNew = ({ dataDirectory, eventStoreUrl, mongodbUrl }: Config) =>
  eventStoreUrl === undefined && mongodbUrl === undefined && !existsSync(join(dataDirectory, 'events.db'));

const checksFor = (config: Config, opened: SharedConnections, unknownSettings: readonly string[]): readonly Check[] => [
  ...settingChecks(config, unknownSettings),
  ...machineChecks(config),
  ...fileChecks(config, opened),
  ...(config.eventStoreUrl === undefined ? [] : eventStoreDbChecks(config.eventStoreUrl, config.namespace, opened)),
  ...(config.mongodbUrl === undefined ? [] : mongoChecks(config.mongodbUrl, config.namespace, opened)),
  ...(config.redisUrl === undefined ? [] : redisChecks(config.redisUrl, opened)),
  ...(isNew(config) ? [] : storeContentChecks(config, openStores(config, opened), opened)),
];

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message;
};

const runCheck = async ({ name, run, advice, ms = checkTimeoutMs }: Check): Promise<readonly Examined[]> => {
  const findings = await withDeadline(run(), ms).catch((error: unknown) => [fail(reasonOf(error), advice)]);
  return findings.map((finding) => ({ check: name, ...finding }));
};

/** Runs all checks concurrently without changing anything. Each check has a timeout. */
export const examine = async (read: () => Sources): Promise<readonly Examined[]> => {
  const opened = createSharedConnections();
  try {
    const sources = read();
    return (await Promise.all(checksFor(configOf(sources), opened, sources.warnings).map(runCheck))).flat();
  } catch (error) {
    return [{ check: 'configuration', ...fail((error as Error).message, 'docs/configuration.md lists every setting') }];
  } finally {
    await opened.close();
  }
};
