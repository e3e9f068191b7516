import { type Variant, variants } from '../domain/variant.js';
import { type Access, createAccess } from './access.js';
import { createAddressBook } from './address-book.js';
import { type AssetImports, createAssetImports } from './asset-imports.js';
import { type Audit, createAudit } from './audit.js';
import { type Balances, createBalances } from './balances.js';
import { type ConfiguredChains, createChains } from './chains.js';
import { type Credentials, createCredentials } from './credentials.js';
import type { Deliveries } from './deliveries.js';
import type { Descriptions } from './descriptions.js';
import { createDifferences } from './differences.js';
import { type ChainFeed, createChainFeed } from './gateway/chain-feed.js';
import { createHandle, type Handle } from './handle.js';
import { createOnce, type Once } from './idempotency.js';
import { keepTrue } from './known.js';
import { createKnownCredentials, type KnownCredentials } from './known-credentials.js';
import { createKnownLimits } from './known-limits.js';
import { createLedgers } from './ledgers.js';
import { createNotices } from './notices.js';
import { createOrganizations, type Organizations } from './organizations.js';
import { createLists, createPageTokens } from './paging.js';
import { createPast, type Past, type PastPorts } from './past.js';
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
import { createDeliverer } from './processes/deliver.js';
import { createTokenDescriber } from './processes/describe-tokens.js';
import { createFollower, type Follower } from './processes/follow-chain.js';
import { createDeliveryQueue, createDeliveryRepair } from './processes/queue-deliveries.js';
import { createSealer, type Sealer } from './processes/seal-history.js';
import { createShredder } from './processes/shred-secrets.js';
import { createTransactionTeller } from './processes/tell-transactions.js';
import { createPendingWatcher } from './processes/watch-pending.js';
import { createTransactionWatcher } from './processes/watch-transactions.js';
import { createProjecting, type Projecting } from './projecting.js';
import { createQueries, type Queries, queriedNode } from './queries.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import { createRecords, type Records } from './records.js';
import { createStuck, type Stuck } from './stuck-transactions.js';
import { createTransactionCreation, type TransactionCreation } from './transaction-creation.js';
import { createWatchList } from './watch-list.js';

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
} & Pick<PastPorts, 'scratch' | 'asOfEvents'>;

/** Runs until the signal. */
type Process = (signal: AbortSignal) => Promise<void>;

/** The whole service without I/O: use cases over ports, and the processes that keep it going. */
export type App = Records &
  Projecting & {
    readonly access: Access;
    readonly knownCredentials: KnownCredentials;
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
    readonly past: Past;
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

export const createApp = (ports: Ports): App => {
  const { events, readModels, limiter, state, vault, system } = ports;
  const handle = createHandle(events, system);
  const projecting = createProjecting(ports);
  const { progress } = projecting;
  const knownCredentials = createKnownCredentials(events, vault);
  const limits = createKnownLimits(events);
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
    keepTrue: keepTrue(events, [knownCredentials, limits]),
    audit: createAudit({ ...ports, pageTokens }),
    past: createPast({ ...ports, chains, progress, pageTokens }),
    differences: createDifferences(ports),
    sealer: createSealer({ ...ports, handle }),
    shredSecrets: createShredder({ events, state, vault }),
    changeMasterKey: vault.changeMasterKey,
    system,
  };
};
