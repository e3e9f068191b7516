import { join } from 'node:path';
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { pino } from 'pino';
import { type App, createApp } from '../application/app.js';
import type { EventStore } from '../application/ports/event-store.js';
import type { Limiter } from '../application/ports/limiter.js';
import type { ReadModels } from '../application/ports/read-models.js';
import type { StateStore } from '../application/ports/state.js';
import type { Log, System } from '../application/ports/system.js';
import type { Vault } from '../application/ports/vault.js';
import { aggregates } from '../domain/aggregates.js';
import { projections } from '../projections/index.js';
import { addressCodecs } from './chains/address-codecs.js';
import { BadSetting, type Config } from './config.js';
import { givenKeyRing, type KeyRing, keyRingIn, renewKeyIn } from './master-key.js';
import { nodeSystem } from './system.js';
import { serviceKey, stateVault } from './vault.js';

/** Tokens are typed, so bind() and get() are checked without a single decorator. */
const token = <T>(name: string) => Symbol.for(name) as ServiceIdentifier<T>;
const tokens = {
  events: token<EventStore>('EventStore'),
  readModels: token<ReadModels>('ReadModels'),
  limiter: token<Limiter>('Limiter'),
  state: token<StateStore>('StateStore'),
  vault: token<Vault>('Vault'),
  system: token<System>('System'),
  app: token<App>('App'),
};

const close = (store: { close(): Promise<void> }) => store.close();

/** Each store on its engine where one is configured, else in a file of the data directory that processes may share. */
const stores = ({ dataDirectory, eventStoreUrl, mongodbUrl, redisUrl }: Config, log: Log) =>
  new ContainerModule(({ bind }) => {
    const file = (name: string) => join(dataDirectory, name);
    const store = <T extends { close(): Promise<void> }>(id: ServiceIdentifier<T>, open: () => Promise<T>) =>
      bind(id).toDynamicValue(open).inSingletonScope().onDeactivation(close);
    store(tokens.events, async () =>
      eventStoreUrl === undefined
        ? (await import('./sqlite/event-store.js')).sqliteEventStore(file('events.db'))
        : (await import('./eventstoredb/event-store.js')).eventStoreDb(eventStoreUrl, aggregates),
    );
    store(tokens.readModels, async () =>
      mongodbUrl === undefined
        ? (await import('./sqlite/read-models.js')).sqliteReadModels(file('read-models.db'), projections)
        : (await import('./mongodb/read-models.js')).mongoReadModels(mongodbUrl, projections),
    );
    store(tokens.state, async () =>
      mongodbUrl === undefined
        ? (await import('./sqlite/state.js')).sqliteState(file('state.db'))
        : (await import('./mongodb/state.js')).mongoState(mongodbUrl),
    );
    store(tokens.limiter, async () =>
      redisUrl === undefined
        ? (await import('./sqlite/limiter.js')).sqliteLimiter(file('limiter.db'), Date.now)
        : (await import('./redis/limiter.js')).redisLimiter(redisUrl, log),
    );
  });

const service = (ring: KeyRing, log: Log) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.system)
      .toDynamicValue(async (context) => nodeSystem(await serviceKey(await context.getAsync(tokens.state), ring), log))
      .inSingletonScope();
    bind(tokens.vault)
      .toDynamicValue(async (context) => stateVault(await context.getAsync(tokens.state), ring))
      .inSingletonScope();
    bind(tokens.app)
      .toDynamicValue(async (context) => {
        const [events, readModels, limiter, state, vault, system] = await Promise.all([
          context.getAsync(tokens.events),
          context.getAsync(tokens.readModels),
          context.getAsync(tokens.limiter),
          context.getAsync(tokens.state),
          context.getAsync(tokens.vault),
          context.getAsync(tokens.system),
        ]);
        return createApp({ events, readModels, limiter, state, vault, codecs: addressCodecs, system });
      })
      .inSingletonScope();
  });

/** From the environment, else from the data directory, where a new key can be put beside the old one. */
const keyRing = ({ masterKey, previousMasterKey, dataDirectory }: Config, newMasterKey: boolean) => {
  if (masterKey && newMasterKey && !previousMasterKey)
    throw new BadSetting('CHAINFOLD_PREVIOUS_MASTER_KEY must hold the old key, and CHAINFOLD_MASTER_KEY the new one');
  if (masterKey) return givenKeyRing(masterKey, previousMasterKey);
  if (newMasterKey) renewKeyIn(dataDirectory);
  return keyRingIn(dataDirectory);
};

/** The service over the stores that the configuration names; `close` lets go of them. */
export const compose = async (config: Config, { newMasterKey = false } = {}) => {
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const container = new Container();
  container.load(stores(config, log), service(keyRing(config, newMasterKey), log));
  const release = () => container.unbindAllAsync();
  try {
    return { app: await container.getAsync(tokens.app), close: release };
  } catch (error) {
    await release();
    throw error;
  }
};
