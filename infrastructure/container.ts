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
import { projections } from '../projections/index.js';
import { addressCodecs } from './chains/address-codecs.js';
import type { Config } from './config.js';
import { masterKeyIn } from './master-key.js';
import { sqliteEventStore } from './sqlite/event-store.js';
import { sqliteLimiter } from './sqlite/limiter.js';
import { sqliteReadModels } from './sqlite/read-models.js';
import { sqliteState } from './sqlite/state.js';
import { nodeSystem } from './system.js';
import { stateVault } from './vault.js';

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

/** Everything in files under the data directory, which several processes may share. */
const embedded = ({ dataDirectory }: Config) =>
  new ContainerModule(({ bind }) => {
    const file = (name: string) => join(dataDirectory, name);
    bind(tokens.events)
      .toDynamicValue(() => sqliteEventStore(file('events.db')))
      .inSingletonScope()
      .onDeactivation(close);
    bind(tokens.readModels)
      .toDynamicValue(() => sqliteReadModels(file('read-models.db'), projections))
      .inSingletonScope()
      .onDeactivation(close);
    bind(tokens.state)
      .toDynamicValue(() => sqliteState(file('state.db')))
      .inSingletonScope()
      .onDeactivation(close);
    bind(tokens.limiter)
      .toDynamicValue(() => sqliteLimiter(file('limiter.db'), Date.now))
      .inSingletonScope()
      .onDeactivation(close);
  });

const service = (masterKey: Uint8Array, log: Log) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.system).toConstantValue(nodeSystem(masterKey, log));
    bind(tokens.vault)
      .toDynamicValue(async (context) => stateVault(await context.getAsync(tokens.state), masterKey))
      .inSingletonScope();
    bind(tokens.app)
      .toDynamicValue(async (context) => {
        const [events, readModels, limiter, vault] = await Promise.all([
          context.getAsync(tokens.events),
          context.getAsync(tokens.readModels),
          context.getAsync(tokens.limiter),
          context.getAsync(tokens.vault),
        ]);
        return createApp({
          events,
          readModels,
          limiter,
          vault,
          codecs: addressCodecs,
          system: context.get(tokens.system),
        });
      })
      .inSingletonScope();
  });

/** The service over the stores that the configuration names; `close` lets go of them. */
export const compose = async (config: Config) => {
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const container = new Container();
  container.load(embedded(config), service(config.masterKey ?? masterKeyIn(config.dataDirectory), log));
  return { app: await container.getAsync(tokens.app), close: async () => container.unbindAllAsync() };
};
