import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { type App, createApp } from '../../../application/app.js';
import type { Context } from '../../../application/commands/handle.js';
import type { Ports } from '../../../application/composition/service-ports.js';
import { migratePositions } from '../../../application/maintenance/process-positions.js';
import { entriesOf } from '../../../application/maintenance/state-entries.js';
import type { Chain } from '../../../application/ports/chain.js';
import type { ConfiguredChain } from '../../../application/ports/chains.js';
import type { EventStore, Recorded } from '../../../application/ports/event-store.js';
import type { Sender } from '../../../application/ports/sender.js';
import type { StateStore } from '../../../application/ports/state.js';
import { isHeartbeat } from '../../../application/processes/heartbeats.js';
import { nameOf } from '../../../application/processes/service-process.js';
import { supervise } from '../../../application/processes/supervise.js';
import { type Upcasters, upcasters } from '../../../domain/upcasters.js';
import { type Variant, variants } from '../../../domain/variant.js';
import { givenKeyRing } from '../../../infrastructure/keys/master-key.js';
import { stateVault } from '../../../infrastructure/keys/vault.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { sqliteJobs } from '../../../infrastructure/sqlite/jobs/jobs.js';
import { sqliteLimiter } from '../../../infrastructure/sqlite/limiter/limiter.js';
import { sqlitePending } from '../../../infrastructure/sqlite/pending.js';
import { sqliteReadModels } from '../../../infrastructure/sqlite/read-models/read-models.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { projections } from '../../../projections/index.js';
import type { Home } from '../engines/engines.js';
import { freshDirectory } from '../run/directories.js';
import { testSystem } from '../silent.js';
import { quietPorts } from './quiet-ports.js';

/** First variant in which organizations can register token contracts. */
export const followedVariant = variants.find(({ can }) => can.includes('token-contracts')) as Variant;

export const variantOf = (segment: Variant['segment']) =>
  variants.find((variant) => variant.segment === segment) as Variant;

export const contextOf = (organizationId: string, variant = followedVariant): Context => ({
  organizationId,
  variant,
  actor: { kind: 'operator', id: 'test' },
  requestId: 'test',
});

type Stores = Pick<Ports, 'events' | 'readModels' | 'limiter' | 'state' | 'vault' | 'jobs' | 'pending'>;

/**
 * Throws if the process state has an entry that `chainfold migrate` cannot migrate, whichever part of the service wrote
 * the entry. Heartbeats are skipped, because they are not migrated.
 */
const checkMigratable = async (state: StateStore) => {
  for await (const { bucket, id, value } of entriesOf(state))
    if (bucket === 'processes' && !isHeartbeat(id)) migratePositions(id, value, (position) => position);
};

/** Opens empty embedded stores. `close` checks that everything that a test left in the stores can be migrated. */
export const openStores = async (): Promise<Stores & { readonly directory: string; close(): Promise<void> }> => {
  const directory = freshDirectory();
  const file = (name: string) => join(directory, name);
  const [events, readModels, limiter, state, jobs, pending] = await Promise.all([
    sqliteEventStore(file('events.db')),
    sqliteReadModels(file('read-models.db'), projections),
    sqliteLimiter(file('limiter.db'), Date.now),
    sqliteState(file('state.db')),
    sqliteJobs(file('jobs.db')),
    sqlitePending(file('pending.db')),
  ]);
  const vault = stateVault(state, givenKeyRing(new Uint8Array(32), undefined));
  const close = async () => {
    const migratable = checkMigratable(state);
    await Promise.allSettled([migratable]);
    await Promise.all([events, readModels, limiter, state, jobs, pending].map((store) => store.close()));
    await migratable;
  };
  return { directory, events, readModels, limiter, state, vault, jobs, pending, close };
};

/** Sender for tests that send no webhook messages. */
export const unusedSender: Sender = {
  check: () => null,
  checkHeader: () => null,
  post: async () => ({ status: null, failure: 'nowhere', durationMs: 0, answer: '', retryAt: null }),
  close: async () => undefined,
};

/** Composes the application on the given stores, without chains unless `given` has some. Starts no process. */
export const composeApp = (stores: Stores, given: Partial<Ports> = {}, versions = upcasters): App =>
  createApp(
    {
      ...quietPorts,
      chains: new Map(),
      sender: unusedSender,
      deployment: { host: 'here', pid: 1, version: '0.0.0', followsChains: false },
      system: testSystem,
      ...stores,
      ...given,
    },
    versions,
  );

/** Returns the process of the application with the given name. */
export const processOf = ({ processes }: App, wanted: string) =>
  processes.find(({ name }) => name === wanted) ?? assert.fail(`there is no process ${wanted}`);

/**
 * Runs a process of the application until the signal fires. A process may reject once it is stopped, as its supervisor
 * expects.
 */
export const runUntilStopped = async (app: App, name: string, signal: AbortSignal): Promise<void> => {
  try {
    await processOf(app, name).run(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

export type Running = { readonly app: App; stop(): Promise<void> };

/** Runs the projector and all processes of the role `follower` until `stop` is called. */
export const runFollowers = (app: App): Running => {
  const stop = new AbortController();
  // Every process adds a listener to the signal, so Node's warning about many listeners is switched off.
  setMaxListeners(0, stop.signal);
  const running = app.processes
    .filter(({ role, name }) => role === 'follower' || name === 'projector')
    .map((one) => supervise(nameOf(one), one.run, stop.signal, testSystem));
  return {
    app,
    stop: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
};

/** Composes the application on the given stores, and follows the chain until `stop` is called. */
export const startFollowing = (
  stores: Stores,
  chain: Chain,
  options: { fromGenesis?: boolean; variant?: Variant; versions?: Upcasters } & Partial<
    Pick<Ports, 'documents' | 'sender' | 'codecs' | 'system' | 'unreadableBlockSeconds'> &
      Pick<ConfiguredChain, 'family' | 'oldHeadSeconds'>
  > = {},
): Running => {
  const {
    fromGenesis: isNew = true,
    variant = followedVariant,
    oldHeadSeconds,
    family = variant.family,
    versions,
    ...given
  } = options;
  const chains = new Map([[variant.tag, { chain, isNew, oldHeadSeconds, family }]]);
  return runFollowers(composeApp(stores, { ...given, chains }, versions));
};

export const allEvents = async (events: EventStore): Promise<Recorded[]> => {
  const found: Recorded[] = [];
  for await (const batch of events.readAll(0)) found.push(...batch);
  return found;
};

/** Returns the organizations whose imports of tokens are stored, one for each import. */
export const importedBy = async (events: EventStore): Promise<string[]> =>
  (await allEvents(events)).flatMap(({ type, metadata }) =>
    type === 'AssetImported' ? [metadata.organizationId] : [],
  );

/** Reads all events from the event store of `home`. */
export const eventsIn = async (home: Home): Promise<Recorded[]> => {
  const store = await home.events();
  try {
    return await allEvents(store);
  } finally {
    await store.close();
  }
};

/** Reads every page of a list. */
export const everyPage = async <T>(
  read: (token: string | undefined) => Promise<{ documents: readonly T[]; nextPageToken: string }>,
): Promise<T[]> => {
  const found: T[] = [];
  let token: string | undefined;
  do {
    const page = await read(token);
    found.push(...page.documents);
    token = page.nextPageToken || undefined;
  } while (token);
  return found;
};

/**
 * Filter that excludes no asset. A test overrides the fields that it filters by, and adds the `standard` of the assets.
 */
export const everyAsset = { walletId: undefined, address: undefined, contract: undefined, excludeZero: false };
export const everyTransfer = {
  walletId: undefined,
  address: undefined,
  transaction: undefined,
  startTime: undefined,
  endTime: undefined,
};
/** Page size, small enough that the lists of the specs have several pages. */
const size = 7;

/** Reads all transfers of a wallet. */
export const transfersOf = ({ transfers }: App, by: Context, walletId: string) =>
  everyPage((token) => transfers.list(by, { ...everyTransfer, walletId }, { size, token }));

/** Reads a wallet's balances in the chain's coin, one for each address. */
export const coinsOf = ({ assets }: App, by: Context, walletId: string) =>
  everyPage((token) => assets.list(by, { ...everyAsset, standard: 'native', walletId }, { size, token }));

/** Reads a wallet's balances in one ERC-20 token, one for each address. */
export const tokensOf = ({ assets }: App, by: Context, walletId: string, contract: string) =>
  everyPage((token) => assets.list(by, { ...everyAsset, standard: 'erc20', contract, walletId }, { size, token }));
