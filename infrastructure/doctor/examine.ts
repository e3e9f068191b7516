import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, type Examined, fail, futureFinding, ok } from '../../application/maintenance/finding.js';
import { createStatus } from '../../application/maintenance/status.js';
import { storeChecks } from '../../application/maintenance/store-checks.js';
import { createStoppedProjections } from '../../application/projecting/stopped.js';
import { createStuck } from '../../application/transactions/stuck.js';
import { aggregates } from '../../domain/aggregates.js';
import { projections } from '../../projections/index.js';
import { type Config, readConfig } from '../config.js';
import { withDeadline } from '../deadline.js';
import { eventStoreDb } from '../eventstoredb/event-store.js';
import { givenKeyRing, keyRingIn } from '../master-key.js';
import { mongoReadModels } from '../mongodb/read-models.js';
import { mongoState } from '../mongodb/state.js';
import { sqliteEventStore } from '../sqlite/event-store.js';
import { sqliteReadModels } from '../sqlite/read-models.js';
import { sqliteState } from '../sqlite/state.js';
import { nodeSystem } from '../system.js';
import { firstUnopened } from '../vault.js';
import { eventStoreDbChecks } from './eventstoredb.js';
import { machineChecks } from './machine.js';
import { mongoChecks } from './mongodb.js';
import { nodeChecks } from './nodes.js';
import { createOpened, type Opened } from './opened.js';
import { redisChecks } from './redis.js';
import { settingChecks } from './settings.js';

/** Nobody waits longer for what does not answer. */
const answerMs = 8000;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const nothingSigned = new Uint8Array(32);

const openStores = ({ dataDirectory, eventStoreUrl, mongodbUrl }: Config, opened: Opened) => {
  const file = (name: string) => join(dataDirectory, name);
  return {
    events: opened.once(async () =>
      eventStoreUrl === undefined
        ? sqliteEventStore(file('events.db'), 'read')
        : eventStoreDb(eventStoreUrl, aggregates),
    ),
    state: opened.once(async () =>
      mongodbUrl === undefined ? sqliteState(file('state.db'), 'read') : mongoState(mongodbUrl),
    ),
    readModels: opened.once(async () =>
      mongodbUrl === undefined
        ? sqliteReadModels(file('read-models.db'), projections, 'read')
        : mongoReadModels(mongodbUrl, projections, 'read'),
    ),
  };
};
type Stores = ReturnType<typeof openStores>;

const vaultCheck = ({ masterKey, previousMasterKey, dataDirectory }: Config, { state }: Stores): Check => ({
  name: 'master key',
  advice: 'see to the process state first',
  run: async () => {
    if (!masterKey && !existsSync(join(dataDirectory, 'master.key')))
      return [fail('there is none', 'bring back master.key, or set CHAINFOLD_MASTER_KEY to what it held')];
    const ring = masterKey ? givenKeyRing(masterKey, previousMasterKey) : keyRingIn(dataDirectory);
    const unopened = await firstUnopened(await state(), ring);
    if (unopened === null) return [ok('opens every key of the vault')];
    const advice = 'give the key that the vault was written under: without it no stored secret can be opened';
    return [fail(`does not open ${unopened.split(':', 1)[0]}`, advice)];
  },
});

const embeddedClock = ({ events }: Stores): Check => ({
  name: 'clock',
  advice: 'see to the event store first',
  run: async () => {
    const store = await events();
    for await (const [newest] of store.readAll((await store.head()) - 1))
      if (newest) return [futureFinding('the newest event', newest.time, Date.now())];
    return [ok('nothing to compare yet')];
  },
});

const lookInto = (config: Config, stores: Stores, opened: Opened): readonly Check[] => {
  const system = nodeSystem({ service: nothingSigned, stores: nothingSigned }, quiet);
  const noneStopped = { stopped: () => new Map() };
  const own = async () => {
    const state = await stores.state();
    const stops = createStoppedProjections(state);
    return { events: await stores.events(), readModels: await stores.readModels(), state, stops };
  };
  return [
    vaultCheck(config, stores),
    ...(config.eventStoreUrl === undefined ? [embeddedClock(stores)] : []),
    ...storeChecks({
      ...stores,
      status: async () => createStatus({ ...(await own()), projector: noneStopped, projections, system }),
      stuck: async () => createStuck({ readModels: await stores.readModels(), system }),
      stuckSeconds: config.stuckSeconds,
      now: Date.now,
    }),
    ...nodeChecks(config, { opened, state: stores.state, log: quiet }),
  ];
};

/** On a directory that nothing was ever started on there is nothing to look into. */
const isNew = ({ dataDirectory, eventStoreUrl, mongodbUrl }: Config) =>
  eventStoreUrl === undefined && mongodbUrl === undefined && !existsSync(join(dataDirectory, 'events.db'));

const checksFor = (config: Config, opened: Opened): readonly Check[] => [
  ...settingChecks(config),
  ...machineChecks(config),
  ...(config.eventStoreUrl === undefined ? [] : eventStoreDbChecks(config.eventStoreUrl, opened)),
  ...(config.mongodbUrl === undefined ? [] : mongoChecks(config.mongodbUrl, opened)),
  ...(config.redisUrl === undefined ? [] : redisChecks(config.redisUrl, opened)),
  ...(isNew(config) ? [] : lookInto(config, openStores(config, opened), opened)),
];

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message;
};

const runCheck = async ({ name, run, advice }: Check): Promise<readonly Examined[]> => {
  const findings = await withDeadline(run(), answerMs).catch((error: unknown) => [fail(reasonOf(error), advice)]);
  return findings.map((finding) => ({ check: name, ...finding }));
};

/** Looks at everything at once, changes nothing, and waits for nobody long. */
export const examine = async (environment: Parameters<typeof readConfig>[0]): Promise<readonly Examined[]> => {
  const opened = createOpened();
  try {
    const config = readConfig(environment);
    return (await Promise.all(checksFor(config, opened).map(runCheck))).flat();
  } catch (error) {
    return [{ check: 'configuration', ...fail((error as Error).message, 'docs/configuration.md lists every setting') }];
  } finally {
    await opened.close();
  }
};
