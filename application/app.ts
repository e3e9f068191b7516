import { findVariant, type Variant, variants } from '../domain/variant.js';
import { projections } from '../projections/index.js';
import { type Access, createAccess } from './access/authenticate.js';
import { type CredentialCache, createCredentialCache } from './access/credential-cache.js';
import { type Credentials, createCredentials } from './access/credentials.js';
import { keepTrue, type Memory } from './access/event-invalidated-cache.js';
import { createLimitCache } from './access/limit-cache.js';
import { createOrganizations, type Organizations } from './access/organizations.js';
import { createRateLimits, type RateLimits } from './access/rate-limits.js';
import { createShredder } from './access/shred-secrets.js';
import { type Balances, createBalances } from './assets/balances.js';
import { createTokenDescriber } from './assets/describe-tokens.js';
import { type AssetImports, createAssetImports } from './assets/import-assets.js';
import type { Descriptions } from './assets/token-descriptions.js';
import { type Audit, createAudit } from './audit/audit.js';
import { createSealer } from './audit/seal-history.js';
import { currentEvents } from './commands/current-events.js';
import { createHandle, type Handle } from './commands/handle.js';
import { createOnce, type Once } from './commands/idempotency.js';
import { createFollower, type Follower } from './following/follow-chain.js';
import { createLedgers } from './following/ledger-writer.js';
import { createNotices } from './following/notify.js';
import { type ChainFeed, createChainFeed } from './gateway/chain-feed.js';
import { createPast, type Past, type PastPorts } from './history/as-of.js';
import { createDifferences } from './history/diff.js';
import { createStatus, type Status } from './maintenance/status.js';
import { type ConfiguredChains, createChains } from './ports/chains.js';
import type { AddressCodecs, TransactionCodec } from './ports/codec.js';
import type { Documents } from './ports/documents.js';
import type { EventStore } from './ports/event-store.js';
import type { RebuildableReadModels } from './ports/generations.js';
import type { Jobs } from './ports/jobs.js';
import type { Limiter } from './ports/limiter.js';
import type { Node } from './ports/node.js';
import type { Notary } from './ports/notary.js';
import type { PendingTransactions } from './ports/pending.js';
import type { LetterSigner, Sender } from './ports/sender.js';
import type { StateStore } from './ports/state.js';
import type { System } from './ports/system.js';
import type { Vault } from './ports/vault.js';
import type { ServiceProcess } from './processes/service-process.js';
import { createProjecting, type Projecting } from './projecting/projecting.js';
import { createQueries, type Queries, queriedNode } from './queries/queries.js';
import { createPendingWatcher } from './queries/watch-pending.js';
import { createLists, createPageTokens } from './read-models/paging.js';
import { createTransactionCreation, type TransactionCreation } from './transactions/create.js';
import { createTransactionTeller } from './transactions/notify.js';
import { createStuck, type Stuck } from './transactions/stuck.js';
import { createTransactionWatcher } from './transactions/watch.js';
import { createRecords, type Records } from './wallet-apis.js';
import { createAddressBook } from './wallets/address-parser.js';
import { createWatchList } from './watch-list/watch-list.js';
import { createDeliverer } from './webhooks/deliver.js';
import type { Deliveries } from './webhooks/deliveries.js';
import { createDeliveryQueue, createDeliveryRepair } from './webhooks/queue-deliveries.js';

export type Ports = {
  readonly events: EventStore;
  readonly readModels: RebuildableReadModels;
  readonly limiter: Limiter;
  readonly state: StateStore;
  readonly vault: Vault;
  readonly codecs: AddressCodecs;
  readonly transactionCodec: TransactionCodec;
  readonly chains: ConfiguredChains;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly pending: PendingTransactions;
  readonly documents: Documents;
  readonly jobs: Jobs;
  readonly sender: Sender;
  readonly signer: LetterSigner;
  readonly notary: Notary;
  readonly system: System;
} & Pick<PastPorts<Records>, 'scratch' | 'asOfEvents'>;

/** The whole service without I/O: use cases over ports, and the processes that keep it going. */
export type App = Records &
  Omit<Projecting, 'stops'> & {
    readonly status: Status;
    readonly access: Access;
    readonly knownCredentials: CredentialCache;
    readonly organizations: Organizations;
    readonly credentials: Credentials;
    readonly rateLimits: RateLimits;
    readonly balances: Balances;
    readonly imports: AssetImports;
    readonly once: Once;
    readonly audit: Audit;
    readonly past: Past<Records>;
    readonly differences: ReturnType<typeof createDifferences>;
    readonly followers: readonly Follower[];
    readonly transactionCreation: TransactionCreation;
    readonly stuckTransactions: Stuck;
    /** Everything that goes on by itself: `serve` runs those of its roles. */
    readonly processes: readonly ServiceProcess[];
    readonly deliveriesWaiting: Jobs['count'];
    /** What receivers of webhooks check signatures with. */
    readonly publicKey: string;
    /** By `<segment>/<network>`. */
    readonly nodes: ReadonlyMap<string, Node>;
    /** What happens on the chains of those nodes, by the same names. */
    readonly feeds: ReadonlyMap<string, ChainFeed>;
    readonly queries: Queries;
    readonly changeMasterKey: Vault['changeMasterKey'];
    readonly system: System;
  };

/** One for every chain that is configured. */
const createFollowers = (
  ports: Ports,
  handle: Handle,
  telling: { deliveries: Deliveries; descriptions: Descriptions; balances: Balances },
) =>
  [...ports.chains].map(([tag, { chain, isNew }]) => {
    const variant = findVariant(tag) as Variant;
    const watched = createWatchList(ports, tag);
    const ledgers = createLedgers({ events: ports.events, handle }, variant);
    const notices = createNotices({ ...ports, ...telling, ledgers, watched }, variant);
    return createFollower({ ...ports, ...telling, chain, watched, ledgers, notices }, variant, { fromGenesis: isNew });
  });

/** One for every chain that transactions are sent on. */
const createWatchers = (ports: Ports, handle: Handle): readonly ServiceProcess[] =>
  [...ports.chains].flatMap(([tag, { chain }]) => {
    const variant = findVariant(tag);
    if (!variant?.can.includes('managed-transactions') || !chain.sending) return [];
    const run = createTransactionWatcher({ ...ports, chain, sending: chain.sending, handle }, variant);
    return [{ role: 'follower', name: 'transaction watcher', chain: tag, run }];
  });

/** One for every chain that is queried. */
const createPendingWatchers = ({ nodes, pending, system }: Ports): readonly ServiceProcess[] =>
  variants.flatMap((variant) => {
    const node = variant.surface === 'query' ? queriedNode(nodes, variant) : undefined;
    if (!node) return [];
    const run = createPendingWatcher({ node, pending, system });
    return [{ role: 'follower', name: 'watcher of pending transactions', chain: variant.tag, run }];
  });

type ProcessParts = {
  /** For those who prove what is stored. */
  readonly stored: EventStore;
  readonly handle: Handle;
  readonly projecting: Omit<Projecting, 'stops'>;
  readonly records: Records;
  readonly memories: readonly Memory[];
  readonly followers: readonly Follower[];
};

/** The table of all processes; docs/architecture.md lists them too. */
const createProcesses = (ports: Ports, parts: ProcessParts): readonly ServiceProcess[] => {
  const { stored, handle, records, memories, followers } = parts;
  const { progress, projector, rebuild } = parts.projecting;
  const { deliveries, webhooks, webhookHeaders: headers } = records;
  const sealer = createSealer({ ...ports, events: stored, handle });
  return [
    { role: 'projector', name: 'projector', run: projector.run },
    { role: 'projector', name: 'rebuild of changed projections', run: rebuild.runRaised },
    { role: 'projector', name: 'history sealer', run: sealer.follow },
    { role: 'projector', name: 'sealer of old history', run: sealer.sealOld },
    { role: 'follower', name: 'token describer', run: createTokenDescriber({ ...ports, handle }) },
    ...createPendingWatchers(ports),
    ...followers.map(({ variant, run }) => ({ role: 'follower', name: 'follower', chain: variant, run }) as const),
    ...createWatchers(ports, handle),
    { role: 'deliverer', name: 'delivery queue', run: createDeliveryQueue({ ...ports, handle, progress }) },
    { role: 'deliverer', name: 'delivery repair', run: createDeliveryRepair(ports) },
    {
      role: 'deliverer',
      name: 'transaction teller',
      run: createTransactionTeller({ ...ports, progress, deliveries }),
    },
    { role: 'deliverer', name: 'deliverer', run: createDeliverer({ ...ports, handle, webhooks, headers }) },
    { role: 'api', name: 'memory', run: keepTrue(ports.events, memories) },
    { role: 'api', name: 'shredder', run: createShredder(ports) },
  ];
};

export const createApp = (given: Ports): App => {
  const stored = given.events;
  const ports: Ports = { ...given, events: currentEvents(stored) };
  const { events, readModels, limiter, vault, system } = ports;
  const handle = createHandle(events, system);
  const { stops, ...projecting } = createProjecting(ports);
  const { progress, projector } = projecting;
  const knownCredentials = createCredentialCache(events, vault);
  const limits = createLimitCache(events);
  const pageTokens = createPageTokens(system);
  const lists = createLists(readModels, pageTokens);
  const addressBook = createAddressBook(ports);
  const chains = createChains(ports.chains);
  const records = createRecords({ ...ports, chains, progress, pageTokens });
  const { contracts, descriptions, deliveries } = records;
  const balances = createBalances({ ...ports, handle, addressBook, contracts, chains });
  const imports = createAssetImports({ handle, readModels, addressBook, balances, chains, system });
  const followers = createFollowers(ports, handle, { deliveries, descriptions, balances });
  const memories = [knownCredentials, limits];
  return {
    ...records,
    access: createAccess({ credentials: knownCredentials, limits, limiter, system }),
    knownCredentials,
    organizations: createOrganizations({ ...ports, handle }),
    credentials: createCredentials({ ...ports, handle, lists, known: knownCredentials }),
    rateLimits: createRateLimits({ handle, readModels }),
    balances,
    imports,
    followers,
    processes: createProcesses(ports, { stored, handle, projecting, records, memories, followers }),
    transactionCreation: createTransactionCreation({ ...ports, handle, addressBook, chains }),
    stuckTransactions: createStuck(ports),
    deliveriesWaiting: ports.jobs.count,
    publicKey: ports.signer.publicKey,
    nodes: ports.nodes,
    feeds: new Map([...ports.nodes].map(([address, node]) => [address, createChainFeed(node, system)])),
    queries: createQueries(ports),
    once: createOnce(limiter),
    ...projecting,
    status: createStatus({ ...ports, projector, stops, projections }),
    audit: createAudit({ ...ports, stored, pageTokens }),
    past: createPast({
      ...ports,
      pageTokens,
      show: (then) => createRecords({ ...ports, chains, progress, ...then }),
    }),
    differences: createDifferences(ports),
    changeMasterKey: vault.changeMasterKey,
    system,
  };
};
