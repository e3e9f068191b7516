import { join } from 'node:path';
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { type App, createApp } from '../application/app.js';
import { rejectUnfinishedMigration } from '../application/maintenance/state-entries.js';
import type { WantedDevelopments } from '../application/ports/chains.js';
import type { Documents } from '../application/ports/documents.js';
import type { EventStore } from '../application/ports/event-store.js';
import type { FinalAnswers } from '../application/ports/gateway/final-answers.js';
import type { RebuildableReadModels } from '../application/ports/generations.js';
import type { Jobs } from '../application/ports/jobs.js';
import type { Limiter } from '../application/ports/limiter.js';
import type { AnnouncedHeads } from '../application/ports/node.js';
import type { Notary, Witness } from '../application/ports/notary.js';
import type { PendingTransactions } from '../application/ports/pending.js';
import type { Sender, WebhookSigner } from '../application/ports/sender.js';
import type { StateStore } from '../application/ports/state.js';
import type { Log, System } from '../application/ports/system.js';
import type { AccessLog } from '../application/ports/tracing/access-log.js';
import type { RefusedRequests } from '../application/ports/tracing/requests.js';
import { noTracer, type Tracer } from '../application/ports/tracing/tracer.js';
import type { Vault } from '../application/ports/vault.js';
import { Failure } from '../domain/failure.js';
import { addressCodecs } from './chains/address-codecs.js';
import type { Connections } from './chains/chains.js';
import { transactionCodecs } from './chains/transaction-codecs.js';
import type { Config } from './config.js';
import { deadlinesWithin } from './deadlines.js';
import { deploymentOf } from './deployment.js';
import { guardedDocuments } from './egress/documents.js';
import { createEgress } from './egress/guard.js';
import { createWitnesses } from './egress/witnesses.js';
import { openNotary } from './keys/audit-key.js';
import { givenKeyRing, type KeyRing, keyRingIn, renewKeyIn } from './keys/master-key.js';
import { serviceKey, stateVault, storesKey, webhookSeed } from './keys/vault.js';
import { type Logs, type LogTarget, openLogs } from './logging/logs.js';
import { memoryReadModels } from './memory/read-models.js';
import { processId } from './process-id.js';
import { serverStores } from './server-stores.js';
import { BadSetting } from './settings/bad-setting.js';
import { softwareVersion } from './software-version.js';
import { checkDataDirectory } from './sqlite/data-directory.js';
import { embeddedStores } from './sqlite/embedded-stores.js';
import { nodeSystem } from './system.js';
import { webhookSender } from './webhooks/sender.js';
import { webhookSigner } from './webhooks/signer.js';

/** Creates a typed token, so that bind() and get() are type-checked without decorators. */
const token = <T>(name: string) => Symbol.for(name) as ServiceIdentifier<T>;
const tokens = {
  events: token<EventStore>('EventStore'),
  readModels: token<RebuildableReadModels>('ReadModels'),
  limiter: token<Limiter>('Limiter'),
  state: token<StateStore>('StateStore'),
  vault: token<Vault>('Vault'),
  pending: token<PendingTransactions>('PendingTransactions'),
  announcedHeads: token<AnnouncedHeads>('AnnouncedHeads'),
  connections: token<Connections>('Connections'),
  documents: token<Documents>('Documents'),
  jobs: token<Jobs>('Jobs'),
  finalAnswers: token<FinalAnswers>('FinalAnswers'),
  refusedRequests: token<RefusedRequests>('RefusedRequests'),
  accessLog: token<AccessLog>('AccessLog'),
  sender: token<Sender>('Sender'),
  witnesses: token<readonly Witness[]>('Witnesses'),
  signer: token<WebhookSigner>('WebhookSigner'),
  notary: token<Notary>('Notary'),
  system: token<System>('System'),
  app: token<App>('App'),
};

const close = (store: { close(): Promise<void> }) => store.close();

/** Setting with the URL of a server: its name and value. The value is undefined for an embedded store. */
type EngineUrl = readonly [setting: string, url: string | undefined];

/**
 * Opens a store. Throws BadSetting if the client rejects the URL of the setting. The client's message is left out if
 * the URL may contain a password.
 */
const orBadUrl = async <T>([setting, url]: EngineUrl, open: () => Promise<T>): Promise<T> => {
  try {
    return await open();
  } catch (error) {
    if (url === undefined || error instanceof Failure) throw error;
    throw new BadSetting(`${setting} cannot be used${url.includes('@') ? '' : `: ${(error as Error).message}`}`);
  }
};

/**
 * Binds each store to its server if one is configured; otherwise to a file that all processes on this machine share.
 */
const stores = (config: Config, log: Log, { isWorker }: ComposeOptions) =>
  new ContainerModule(({ bind }) => {
    const { eventStoreUrl, mongodbUrl, redisUrl } = config;
    const embedded = embeddedStores(config, log, isWorker);
    const servers = serverStores(config, log);
    const store = <T extends { close(): Promise<void> }>(
      id: ServiceIdentifier<T>,
      [setting, url]: EngineUrl,
      openEmbedded: () => Promise<T>,
      openServer: (url: string) => Promise<T>,
    ) =>
      bind(id)
        .toDynamicValue(() => orBadUrl([setting, url], () => (url === undefined ? openEmbedded() : openServer(url))))
        .inSingletonScope()
        .onDeactivation(close);
    const eventStoreDb = ['EVENTSTORE_URL', eventStoreUrl] as const;
    const mongodb = ['MONGODB_URL', mongodbUrl] as const;
    const redis = ['REDIS_URL', redisUrl] as const;
    store(tokens.events, eventStoreDb, embedded.events, servers.events);
    store(tokens.readModels, mongodb, embedded.readModels, servers.readModels);
    store(tokens.state, mongodb, embedded.state, servers.state);
    store(tokens.pending, mongodb, embedded.pending, servers.pending);
    store(tokens.jobs, redis, embedded.jobs, servers.jobs);
    store(tokens.limiter, redis, embedded.limiter, servers.limiter);
    store(tokens.finalAnswers, redis, embedded.finalAnswers, servers.finalAnswers);
    store(tokens.refusedRequests, redis, embedded.refusedRequests, servers.refusedRequests);
    store(tokens.accessLog, redis, embedded.accessLog, servers.accessLog);
  });

const noConnections: Connections = {
  chains: new Map(),
  nodes: new Map(),
  share: async () => [],
  close: async () => undefined,
};

/** Binds connections to the outside: chains, token documents, witnesses and webhook receivers. */
const externalConnections = (config: Config, log: Log, options: ComposeOptions) =>
  new ContainerModule(({ bind }) => {
    const { dataDirectory, redisUrl, namespace } = config;
    const openHeads = async () =>
      redisUrl === undefined
        ? (await import('./gateway-nodes/heads/head-files.js')).fileAnnouncedHeads(join(dataDirectory, 'gateway-heads'))
        : (await import('./redis/announced-heads.js')).redisAnnouncedHeads(redisUrl, log, namespace);
    bind(tokens.announcedHeads)
      .toDynamicValue(() => orBadUrl(['REDIS_URL', redisUrl], openHeads))
      .inSingletonScope()
      .onDeactivation(close);
    bind(tokens.connections)
      .toDynamicValue(async (context) => {
        // Chain libraries are imported on demand, because they load slowly and few commands need a chain.
        const { developments } = options;
        if (options.chains === 'none') return noConnections;
        const { connectChains } = await import('./chains/chains.js');
        const announcedHeads = await context.getAsync(tokens.announcedHeads);
        const answers = config.gatewayCacheBytes > 0 ? await context.getAsync(tokens.finalAnswers) : undefined;
        return connectChains(config, log, developments, { announcedHeads, answers });
      })
      .inSingletonScope()
      .onDeactivation(close);
    const { allowPrivate, ipfsGateway, production } = config;
    bind(tokens.documents)
      .toDynamicValue(() =>
        guardedDocuments({ egress: createEgress({ allowPrivate, httpsOnly: false }), ipfsGateway, log }),
      )
      .inSingletonScope();
    bind(tokens.witnesses)
      .toDynamicValue(() => createWitnesses(config, createEgress({ allowPrivate, httpsOnly: production })))
      .inSingletonScope();
    bind(tokens.sender)
      .toDynamicValue(() => webhookSender({ egress: createEgress({ allowPrivate, httpsOnly: production }) }))
      .inSingletonScope()
      .onDeactivation(close);
  });

type Observers = Pick<Logs, 'log' | 'requestLog'> & { readonly tracer: Tracer };

const service = (config: Config, ring: KeyRing, { log, requestLog, tracer }: Observers) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.system)
      .toDynamicValue(async (context) => {
        const state = await context.getAsync(tokens.state);
        return nodeSystem({ service: await serviceKey(state, ring), stores: await storesKey(state, ring) }, log);
      })
      .inSingletonScope();
    bind(tokens.signer)
      .toDynamicValue(async (context) => {
        const seed = await webhookSeed(await context.getAsync(tokens.state), ring);
        return webhookSigner(seed, { hasSharedKey: config.sharedWebhookKey });
      })
      .inSingletonScope();
    bind(tokens.notary)
      .toDynamicValue(async (context) => {
        const events = await context.getAsync(tokens.events);
        return openNotary({ events, state: await context.getAsync(tokens.state) }, ring);
      })
      .inSingletonScope();
    bind(tokens.vault)
      .toDynamicValue(async (context) => stateVault(await context.getAsync(tokens.state), ring))
      .inSingletonScope();
    bind(tokens.app)
      .toDynamicValue(async (context) => {
        const { chains, nodes } = await context.getAsync(tokens.connections);
        await rejectUnfinishedMigration(await context.getAsync(tokens.state));
        // Opens the notary first: it detects a wrong master key, and its key must be the first in a new vault.
        const notary = await context.getAsync(tokens.notary);
        const system = await context.getAsync(tokens.system);
        return createApp({
          system,
          tracer,
          events: await context.getAsync(tokens.events),
          readModels: await context.getAsync(tokens.readModels),
          limiter: await context.getAsync(tokens.limiter),
          pending: await context.getAsync(tokens.pending),
          jobs: await context.getAsync(tokens.jobs),
          state: await context.getAsync(tokens.state),
          vault: await context.getAsync(tokens.vault),
          signer: await context.getAsync(tokens.signer),
          notary,
          requestLog,
          refusedRequests: await context.getAsync(tokens.refusedRequests),
          accessLog: await context.getAsync(tokens.accessLog),
          sender: context.get(tokens.sender),
          witnesses: context.get(tokens.witnesses),
          documents: context.get(tokens.documents),
          codecs: addressCodecs,
          transactionCodecs,
          scratch: memoryReadModels,
          asOfEvents: config.asOfEvents,
          foldedEvents: config.memory.foldedEvents,
          catchUpMs: deadlinesWithin(config.requestTimeoutMs).catchUpMs,
          challengeEndpoints: config.challengeEndpoints,
          webhookConcurrency: config.webhookConcurrency,
          unreadableBlockSeconds: config.unreadableBlockSeconds,
          reconcileSeconds: config.reconcileSeconds,
          deployment: deploymentOf(config),
          chains,
          nodes,
        });
      })
      .inSingletonScope();
  });

/**
 * Reads the master key from the environment if it is set there, otherwise from the data directory. `newMasterKey` first
 * creates a new key in the data directory.
 */
const keyRing = ({ masterKey, previousMasterKey, dataDirectory }: Config, newMasterKey: boolean) => {
  if (masterKey && newMasterKey && !previousMasterKey)
    throw new BadSetting('CHAINFOLD_PREVIOUS_MASTER_KEY must be the old key, and CHAINFOLD_MASTER_KEY the new key');
  if (masterKey) return givenKeyRing(masterKey, previousMasterKey);
  if (newMasterKey) renewKeyIn(dataDirectory);
  return keyRingIn(dataDirectory);
};

/** Parts that a command needs in addition to the stores. */
export type ComposeOptions = {
  readonly newMasterKey: boolean;
  /** True to create the data directory if it does not exist. */
  readonly newDirectory: boolean;
  /** Chains to connect to: those of the settings, or none. */
  readonly chains: 'none' | 'configured';
  /** Development chains to use for chains without configured nodes. */
  readonly developments: WantedDevelopments;
  /** True in a worker: one of several processes that listen on the same port. */
  readonly isWorker: boolean;
};

/** Opens the tracer. The libraries of OpenTelemetry are loaded only if traces are exported. */
const openTracing = async ({ tracing }: Config, log: Log) => {
  if (!tracing) return { tracer: noTracer, close: async () => undefined };
  const { otlpTracer } = await import('./tracing/otlp-tracer.js');
  return otlpTracer(tracing, log, { version: softwareVersion(), processId });
};

/** Composes the service from the configured stores. Logs to standard error by default. `close` releases the stores. */
export const compose = async (config: Config, given: Partial<ComposeOptions> = {}, logTo?: LogTarget) => {
  const options: ComposeOptions = {
    newMasterKey: false,
    newDirectory: false,
    chains: 'none',
    developments: 'none',
    isWorker: false,
    ...given,
  };
  checkDataDirectory(config, options.newDirectory);
  const logs = openLogs(config.logLevel, config.requestLog, logTo);
  const { log } = logs;
  const tracing = await openTracing(config, log);
  const container = new Container();
  container.load(
    stores(config, log, options),
    externalConnections(config, log, options),
    service(config, keyRing(config, options.newMasterKey), { ...logs, tracer: tracing.tracer }),
  );
  const release = async () => {
    await container.unbindAllAsync();
    await tracing.close();
    logs.finish();
  };
  try {
    const app = await container.getAsync(tokens.app);
    const { share } = await container.getAsync(tokens.connections);
    return { app, shareDevelopments: share, close: release };
  } catch (error) {
    await release();
    throw error;
  }
};
