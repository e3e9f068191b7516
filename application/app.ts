import { type Variant, variants } from '../domain/variant.js';
import { projections } from '../projections/index.js';
import { type Access, createAccess } from './access/authenticate.js';
import { type CredentialCache, createCredentialCache } from './access/credential-cache.js';
import { type Credentials, createCredentials } from './access/credentials.js';
import { keepTrue } from './access/event-invalidated-cache.js';
import { createLimitCache } from './access/limit-cache.js';
import { createOrganizations, type Organizations } from './access/organizations.js';
import { createRateLimits, type RateLimits } from './access/rate-limits.js';
import { createShredder } from './access/shred-secrets.js';
import { type Balances, createBalances } from './assets/balances.js';
import { createTokenDescriber } from './assets/describe-tokens.js';
import { type AssetImports, createAssetImports } from './assets/import-assets.js';
import type { Descriptions } from './assets/token-descriptions.js';
import { type Audit, createAudit } from './audit/audit.js';
import { createSealer, type Sealer } from './audit/seal-history.js';
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

/** Runs until the signal. */
type Process = (signal: AbortSignal) => Promise<void>;

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
    /** Keeps what this node remembers true until the signal. */
    readonly keepTrue: Process;
    readonly shredSecrets: Process;
    readonly audit: Audit;
    readonly past: Past<Records>;
    readonly differences: ReturnType<typeof createDifferences>;
    readonly sealer: Sealer;
    readonly followers: readonly Follower[];
    readonly transactionCreation: TransactionCreation;
    readonly stuckTransactions: Stuck;
    /** By variant. */
    readonly watchTransactions: readonly (readonly [string, Process])[];
    readonly tellTransactions: Process;
    readonly deliver: Process;
    readonly queueDeliveries: Process;
    readonly repairDeliveries: Process;
    readonly deliveriesWaiting: Jobs['count'];
    /** What receivers of webhooks check signatures with. */
    readonly publicKey: string;
    /** By `<segment>/<network>`. */
    readonly nodes: ReadonlyMap<string, Node>;
    /** What happens on the chains of those nodes, by the same names. */
    readonly feeds: ReadonlyMap<string, ChainFeed>;
    readonly queries: Queries;
    /** By variant. */
    readonly watchPending: readonly (readonly [string, Process])[];
    readonly describeTokens: Process;
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
    const variant = variants.find((one) => one.tag === tag) as Variant;
    const watched = createWatchList(ports, tag);
    const ledgers = createLedgers({ events: ports.events, handle }, variant);
    const notices = createNotices({ ...ports, ...telling, ledgers, watched }, variant);
    return createFollower({ ...ports, ...telling, chain, watched, ledgers, notices }, variant, { fromGenesis: isNew });
  });

/** One for every chain that transactions are sent on. */
const createWatchers = (ports: Ports, handle: Handle) =>
  [...ports.chains].flatMap(([tag, { chain }]) => {
    const variant = variants.find((one) => one.tag === tag && one.can.includes('managed-transactions'));
    if (!variant || !chain.sending) return [];
    const watch = createTransactionWatcher({ ...ports, chain, sending: chain.sending, handle }, variant);
    return [[tag, watch] as const];
  });

/** One for every chain that is queried. */
const createPendingWatchers = ({ nodes, pending, system }: Ports) =>
  variants.flatMap((variant) => {
    const node = variant.surface === 'query' ? queriedNode(nodes, variant) : undefined;
    return node ? [[variant.tag, createPendingWatcher({ node, pending, system })] as const] : [];
  });

export const createApp = (given: Ports): App => {
  const ports: Ports = { ...given, events: currentEvents(given.events) };
  /** For those who prove what is stored. */
  const stored = given.events;
  const { events, readModels, limiter, state, vault, system } = ports;
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
  return {
    ...records,
    access: createAccess({ credentials: knownCredentials, limits, limiter, system }),
    knownCredentials,
    organizations: createOrganizations({ ...ports, handle }),
    credentials: createCredentials({ ...ports, handle, lists, known: knownCredentials }),
    rateLimits: createRateLimits({ handle, readModels }),
    balances,
    imports,
    followers: createFollowers(ports, handle, { deliveries, descriptions, balances }),
    transactionCreation: createTransactionCreation({ ...ports, handle, addressBook, chains }),
    stuckTransactions: createStuck(ports),
    watchTransactions: createWatchers(ports, handle),
    tellTransactions: createTransactionTeller({ ...ports, progress, deliveries }),
    deliver: createDeliverer({ ...ports, handle, webhooks: records.webhooks, headers: records.webhookHeaders }),
    queueDeliveries: createDeliveryQueue({ ...ports, handle, progress }),
    repairDeliveries: createDeliveryRepair(ports),
    deliveriesWaiting: ports.jobs.count,
    publicKey: ports.signer.publicKey,
    nodes: ports.nodes,
    feeds: new Map([...ports.nodes].map(([address, node]) => [address, createChainFeed(node, system)])),
    queries: createQueries(ports),
    watchPending: createPendingWatchers(ports),
    describeTokens: createTokenDescriber({ ...ports, handle }),
    once: createOnce(limiter),
    ...projecting,
    status: createStatus({ ...ports, projector, stops, projections }),
    keepTrue: keepTrue(events, [knownCredentials, limits]),
    audit: createAudit({ ...ports, stored, pageTokens }),
    past: createPast({
      ...ports,
      pageTokens,
      show: (then) => createRecords({ ...ports, chains, progress, ...then }),
    }),
    differences: createDifferences(ports),
    sealer: createSealer({ ...ports, events: stored, handle }),
    shredSecrets: createShredder({ events, state, vault }),
    changeMasterKey: vault.changeMasterKey,
    system,
  };
};
