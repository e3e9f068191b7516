import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type App, createApp, type Ports } from '../../application/app.js';
import type { Context } from '../../application/commands/handle.js';
import type { Chain } from '../../application/ports/chain.js';
import type { EventStore, Recorded } from '../../application/ports/event-store.js';
import type { Sender } from '../../application/ports/sender.js';
import { titleOf } from '../../application/processes/service-process.js';
import { supervise } from '../../application/processes/supervise.js';
import { type Variant, variants } from '../../domain/variant.js';
import { addressCodecs } from '../../infrastructure/chains/address-codecs.js';
import { evmTransactions } from '../../infrastructure/chains/evm/transaction-codec.js';
import { givenKeyRing } from '../../infrastructure/master-key.js';
import { memoryReadModels } from '../../infrastructure/memory/read-models.js';
import { createNotary } from '../../infrastructure/notary.js';
import { sqliteEventStore } from '../../infrastructure/sqlite/event-store.js';
import { sqliteJobs } from '../../infrastructure/sqlite/jobs.js';
import { sqliteLimiter } from '../../infrastructure/sqlite/limiter.js';
import { sqlitePending } from '../../infrastructure/sqlite/pending.js';
import { sqliteReadModels } from '../../infrastructure/sqlite/read-models.js';
import { sqliteState } from '../../infrastructure/sqlite/state.js';
import { stateVault } from '../../infrastructure/vault.js';
import { letterSigner } from '../../infrastructure/webhooks/signer.js';
import { projections } from '../../projections/index.js';
import { freshDirectory } from './directories.js';
import { testSystem } from './silent.js';

/** The variant whose wallets have token contracts. */
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

export const openStores = async (): Promise<Stores & { close(): Promise<void> }> => {
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
    await Promise.all([events, readModels, limiter, state, jobs, pending].map((store) => store.close()));
  };
  return { events, readModels, limiter, state, vault, jobs, pending, close };
};

/** For tests in which nothing is sent. */
const nowhere: Sender = {
  check: () => null,
  checkHeader: () => null,
  post: async () => ({ status: null, failure: 'nowhere', durationMs: 0, answer: '', retryAt: null }),
  close: async () => undefined,
};

/** The service's inside over given stores, without chains unless some are given; nothing of it runs yet. */
export const composeApp = (stores: Stores, given: Partial<Ports> = {}): App =>
  createApp({
    codecs: addressCodecs,
    transactionCodec: evmTransactions,
    chains: new Map(),
    nodes: new Map(),
    documents: { read: async () => null },
    sender: nowhere,
    signer: letterSigner(new Uint8Array(32)),
    notary: createNotary(new Uint8Array(32)),
    scratch: memoryReadModels,
    asOfEvents: 1_000_000,
    system: testSystem,
    ...stores,
    ...given,
  });

/** The one process of that name. */
export const processOf = ({ processes }: App, wanted: string) =>
  processes.find(({ name }) => name === wanted) ?? assert.fail(`there is no process ${wanted}`);

export type Running = { readonly app: App; stop(): Promise<void> };

/** The service's inside over given stores, following a chain until it is stopped. */
export const startFollowing = (
  stores: Stores,
  chain: Chain,
  options: { fromGenesis?: boolean; variant?: Variant } & Partial<Pick<Ports, 'documents' | 'sender' | 'codecs'>> = {},
): Running => {
  const { fromGenesis = true, variant = followedVariant, ...given } = options;
  const app = composeApp(stores, { ...given, chains: new Map([[variant.tag, { chain, isNew: fromGenesis }]]) });
  const stop = new AbortController();
  const running = app.processes
    .filter(({ role, name }) => role === 'follower' || name === 'projector')
    .map((one) => supervise(titleOf(one), one.run, stop.signal, testSystem));
  return {
    app,
    stop: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
};

/** Asks until it is so; what never comes shows as the last error. */
export const eventually = async (check: () => Promise<void>, ms = 20_000) => {
  const deadline = Date.now() + ms;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await testSystem.sleep(10);
  }
};

export const allEvents = async (events: EventStore): Promise<Recorded[]> => {
  const found: Recorded[] = [];
  for await (const batch of events.readAll(0)) found.push(...batch);
  return found;
};

/** Every page of a list. */
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
