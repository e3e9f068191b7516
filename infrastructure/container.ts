import { join } from 'node:path';
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { pino } from 'pino';
import { type App, createApp } from '../application/app.js';
import { refuseHalfMoved } from '../application/maintenance/state-entries.js';
import type { Documents } from '../application/ports/documents.js';
import type { EventStore } from '../application/ports/event-store.js';
import type { RebuildableReadModels } from '../application/ports/generations.js';
import type { Jobs } from '../application/ports/jobs.js';
import type { Limiter } from '../application/ports/limiter.js';
import type { Notary } from '../application/ports/notary.js';
import type { PendingTransactions } from '../application/ports/pending.js';
import type { LetterSigner, Sender } from '../application/ports/sender.js';
import type { StateStore } from '../application/ports/state.js';
import type { Log, System } from '../application/ports/system.js';
import type { Vault } from '../application/ports/vault.js';
import { aggregates } from '../domain/aggregates.js';
import { projections } from '../projections/index.js';
import { addressCodecs } from './chains/address-codecs.js';
import type { Connections } from './chains/chains.js';
import { evmTransactions } from './chains/evm/transaction-codec.js';
import { BadSetting, type Config } from './config.js';
import { guardedDocuments } from './egress/documents.js';
import { createEgress } from './egress/guard.js';
import { givenKeyRing, type KeyRing, keyRingIn, renewKeyIn } from './master-key.js';
import { memoryReadModels } from './memory/read-models.js';
import { createNotary } from './notary.js';
import { nodeSystem } from './system.js';
import { serviceKey, signingSeed, stateVault, storesKey } from './vault.js';
import { webhookSender } from './webhooks/sender.js';
import { letterSigner } from './webhooks/signer.js';

/** Tokens are typed, so bind() and get() are checked without a single decorator. */
const token = <T>(name: string) => Symbol.for(name) as ServiceIdentifier<T>;
const tokens = {
  events: token<EventStore>('EventStore'),
  readModels: token<RebuildableReadModels>('ReadModels'),
  limiter: token<Limiter>('Limiter'),
  state: token<StateStore>('StateStore'),
  vault: token<Vault>('Vault'),
  pending: token<PendingTransactions>('PendingTransactions'),
  connections: token<Connections>('Connections'),
  documents: token<Documents>('Documents'),
  jobs: token<Jobs>('Jobs'),
  sender: token<Sender>('Sender'),
  signer: token<LetterSigner>('LetterSigner'),
  notary: token<Notary>('Notary'),
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
    store(tokens.pending, async () =>
      mongodbUrl === undefined
        ? (await import('./sqlite/pending.js')).sqlitePending(file('pending.db'))
        : (await import('./mongodb/pending.js')).mongoPending(mongodbUrl),
    );
    store(tokens.jobs, async () =>
      redisUrl === undefined
        ? (await import('./sqlite/jobs.js')).sqliteJobs(file('jobs.db'))
        : (await import('./redis/jobs.js')).bullJobs(redisUrl, log),
    );
    store(tokens.limiter, async () =>
      redisUrl === undefined
        ? (await import('./sqlite/limiter.js')).sqliteLimiter(file('limiter.db'), Date.now)
        : (await import('./redis/limiter.js')).redisLimiter(redisUrl, log),
    );
  });

const noConnections: Connections = { chains: new Map(), nodes: new Map(), close: async () => undefined };

/** What lies outside: chains, and what customers name. */
const outside = (config: Config, log: Log, wanted: Wanted) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.connections)
      .toDynamicValue(async () => {
        // Most commands have no use for chains, and what connects to them takes its time to load.
        if (wanted.chains === 'none') return noConnections;
        const { connectChains } = await import('./chains/chains.js');
        return connectChains(config, log, wanted.chains === 'with development');
      })
      .inSingletonScope()
      .onDeactivation(close);
    const { allowPrivate, ipfsGateway, production } = config;
    bind(tokens.documents)
      .toDynamicValue(() =>
        guardedDocuments({ egress: createEgress({ allowPrivate, httpsOnly: false }), ipfsGateway, log }),
      )
      .inSingletonScope();
    bind(tokens.sender)
      .toDynamicValue(() => webhookSender({ egress: createEgress({ allowPrivate, httpsOnly: production }) }))
      .inSingletonScope()
      .onDeactivation(close);
  });

const service = ({ asOfEvents }: Config, ring: KeyRing, log: Log) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.system)
      .toDynamicValue(async (context) => {
        const state = await context.getAsync(tokens.state);
        return nodeSystem({ service: await serviceKey(state, ring), stores: await storesKey(state, ring) }, log);
      })
      .inSingletonScope();
    bind(tokens.signer)
      .toDynamicValue(async (context) =>
        letterSigner(await signingSeed(await context.getAsync(tokens.state), ring, 'webhook-signing')),
      )
      .inSingletonScope();
    bind(tokens.notary)
      .toDynamicValue(async (context) =>
        createNotary(await signingSeed(await context.getAsync(tokens.state), ring, 'audit-signing')),
      )
      .inSingletonScope();
    bind(tokens.vault)
      .toDynamicValue(async (context) => stateVault(await context.getAsync(tokens.state), ring))
      .inSingletonScope();
    bind(tokens.app)
      .toDynamicValue(async (context) => {
        const { chains, nodes } = await context.getAsync(tokens.connections);
        await refuseHalfMoved(await context.getAsync(tokens.state));
        // First: it is here that a wrong master key shows, and stops the start.
        const system = await context.getAsync(tokens.system);
        return createApp({
          system,
          events: await context.getAsync(tokens.events),
          readModels: await context.getAsync(tokens.readModels),
          limiter: await context.getAsync(tokens.limiter),
          pending: await context.getAsync(tokens.pending),
          jobs: await context.getAsync(tokens.jobs),
          state: await context.getAsync(tokens.state),
          vault: await context.getAsync(tokens.vault),
          signer: await context.getAsync(tokens.signer),
          notary: await context.getAsync(tokens.notary),
          sender: context.get(tokens.sender),
          documents: context.get(tokens.documents),
          codecs: addressCodecs,
          transactionCodec: evmTransactions,
          scratch: memoryReadModels,
          asOfEvents,
          chains,
          nodes,
        });
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

/** What a command needs besides the stores. */
export type Wanted = {
  readonly newMasterKey: boolean;
  readonly chains: 'none' | 'configured' | 'with development';
};

/** The service over the stores that the configuration names, logging to standard error by default; `close` lets go of the stores. */
export const compose = async (
  config: Config,
  given: Partial<Wanted> = {},
  logTo: { write(line: string): void } = pino.destination({ dest: 2, sync: true }),
) => {
  const wanted: Wanted = { newMasterKey: false, chains: 'none', ...given };
  const log = pino({ level: config.logLevel }, logTo);
  const container = new Container();
  container.load(
    stores(config, log),
    outside(config, log, wanted),
    service(config, keyRing(config, wanted.newMasterKey), log),
  );
  const release = () => container.unbindAllAsync();
  try {
    return { app: await container.getAsync(tokens.app), close: release };
  } catch (error) {
    await release();
    throw error;
  }
};
