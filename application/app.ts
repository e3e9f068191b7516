import { upcasters } from '../domain/upcasters.js';
import { findVariant, type Variant } from '../domain/variant.js';
import { projections } from '../projections/index.js';
import { type Access, createAccess } from './access/authenticate.js';
import { type CredentialCache, createCredentialCache } from './access/credential-cache.js';
import { type Credentials, createCredentials } from './access/credentials.js';
import { type EventInvalidatedCache, invalidateFromEvents } from './access/event-invalidated-cache.js';
import { createGatewayAuth, type GatewayAuth } from './access/gateway/gateway-auth.js';
import { createLimitCache } from './access/limit-cache.js';
import { createNonces } from './access/nonces.js';
import { createOrganizations, type Organizations } from './access/organizations.js';
import { createQuotaGuard } from './access/quota-guard.js';
import { createQuotas, type Quotas } from './access/quotas.js';
import { createRateLimits, type RateLimits } from './access/rate-limits.js';
import { createShredder } from './access/shred-secrets.js';
import { createAccountFinder } from './assets/accounts/find-accounts.js';
import { type Balances, createBalances } from './assets/balances.js';
import type { Contracts } from './assets/contracts.js';
import { createTokenDescriber } from './assets/describe-tokens.js';
import { type AssetImports, createAssetImports } from './assets/import-assets.js';
import { createBalanceRefresher } from './assets/refresh-balances.js';
import type { Descriptions } from './assets/token-descriptions.js';
import { createLargeWorkThrottle, type LargeWorkThrottle } from './async/large-work-throttle.js';
import { createLoopTurns, type LoopTurns } from './async/loop-turns.js';
import { type Audit, createAudit } from './audit/audit.js';
import { createProvenLog, type ProvenLog } from './audit/log/log-proofs.js';
import { createWitnessNotifiers } from './audit/log/notify-witness.js';
import { createIsProven } from './audit/proven-credential.js';
import { createSealer } from './audit/seal-history.js';
import { currentEvents } from './commands/current-events.js';
import { createHandle, type Handle } from './commands/handle.js';
import { createIdempotency, type Idempotency } from './commands/idempotency.js';
import { createBlockRecords } from './following/blocks/block-records.js';
import { type ChainBlocks, createChainBlocks } from './following/blocks/chain-blocks.js';
import { createUnreadableBlockBalances } from './following/blocks/unreadable-block-balances.js';
import { createFollower, type Follower } from './following/follow-chain.js';
import { createHeadAhead } from './following/head-ahead.js';
import { createLedgerWriter } from './following/ledger-writer.js';
import { createNotifier } from './following/notify.js';
import { type ChainFeed, createChainFeed } from './gateway/chain-feed.js';
import { type AsOf, type AsOfPorts, createAsOf } from './history/as-of.js';
import { createDifferences } from './history/diff.js';
import { createStatus, type Status } from './maintenance/status.js';
import { recordingTraces } from './maintenance/tracing.js';
import { type ConfiguredChains, createChains } from './ports/chains.js';
import type { AddressCodecs, TransactionCodecs } from './ports/codec.js';
import type { Documents } from './ports/documents.js';
import type { EventStore } from './ports/event-store.js';
import type { RebuildableReadModels } from './ports/generations.js';
import type { Jobs } from './ports/jobs.js';
import type { Limiter } from './ports/limiter.js';
import type { Node } from './ports/node.js';
import type { Notary, Witness } from './ports/notary.js';
import type { PendingTransactions } from './ports/pending.js';
import type { Sender, WebhookSigner } from './ports/sender.js';
import type { StateStore } from './ports/state.js';
import type { System } from './ports/system.js';
import type { Vault } from './ports/vault.js';
import { createClockKeeper } from './processes/keep-clock.js';
import { createLease } from './processes/lease.js';
import { onEachChain } from './processes/on-each-chain.js';
import type { ServiceProcess } from './processes/service-process.js';
import { createProjecting, type Projecting } from './projecting/projecting.js';
import { createQueries, type Queries } from './queries/queries.js';
import { createPendingWatchers } from './queries/watch-pending.js';
import { createLists, createPageTokens } from './read-models/paging.js';
import { createTransactionCreation, type TransactionCreation } from './transactions/create.js';
import { createTransactionNotifier } from './transactions/notify.js';
import { createStuckTransactions, type StuckTransactions } from './transactions/stuck.js';
import { createTransactionWatcher } from './transactions/watch.js';
import { createWalletApis, type WalletApis } from './wallet-apis.js';
import { createAddressParser } from './wallets/address-parser.js';
import { createRemovalResumption } from './wallets/resume-removals.js';
import { createWatchList } from './watch-list/watch-list.js';
import { createDeliverer } from './webhooks/deliver.js';
import type { Deliveries } from './webhooks/deliveries.js';
import { createLeftoverHeaders } from './webhooks/leftover-headers.js';
import { createSealNotifier } from './webhooks/notify-seals.js';
import { createDeliveryQueue, createDeliveryRepair } from './webhooks/queue-deliveries.js';
import { createWebhookChanges } from './webhooks/webhook-changes.js';

export type Ports = {
  readonly events: EventStore;
  readonly readModels: RebuildableReadModels;
  readonly limiter: Limiter;
  readonly state: StateStore;
  readonly vault: Vault;
  readonly codecs: AddressCodecs;
  readonly transactionCodecs: TransactionCodecs;
  readonly chains: ConfiguredChains;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly pending: PendingTransactions;
  readonly documents: Documents;
  readonly jobs: Jobs;
  readonly sender: Sender;
  readonly signer: WebhookSigner;
  readonly challengeEndpoints: boolean;
  /** Time that a command waits for read models which it depends on. */
  readonly catchUpMs: number;
  readonly webhookConcurrency: number;
  /** Seconds after which a block that no node can return is skipped. */
  readonly unreadableBlockSeconds: number;
  readonly notary: Notary;
  /** Witnesses that receive each head of the seal log. */
  readonly witnesses: readonly Witness[];
  readonly system: System;
} & Pick<AsOfPorts<WalletApis>, 'scratch' | 'asOfEvents'>;

/** Service without I/O: the use cases over the ports, and the background processes. */
export type App = WalletApis &
  ProvenLog &
  Omit<Projecting, 'stops'> &
  GatewayAuth & {
    readonly status: Status;
    readonly access: Access;
    readonly credentialCache: CredentialCache;
    readonly organizations: Organizations;
    readonly credentials: Credentials;
    readonly rateLimits: RateLimits;
    readonly quotas: Quotas;
    readonly balances: Balances;
    readonly imports: AssetImports;
    readonly idempotency: Idempotency;
    readonly audit: Audit;
    readonly asOf: AsOf<WalletApis>;
    readonly differences: ReturnType<typeof createDifferences>;
    readonly followers: readonly Follower[];
    readonly transactionCreation: TransactionCreation;
    readonly stuckTransactions: StuckTransactions;
    readonly chainBlocks: ChainBlocks;
    /** All background processes. `serve` runs those of its roles. */
    readonly processes: readonly ServiceProcess[];
    readonly deliveriesWaiting: Jobs['count'];
    /** Returns the public keys shared by all webhooks at a given time (Unix ms). */
    readonly sharedWebhookKeys: WebhookSigner['sharedKeys'];
    /** Pools of nodes by `<segment>/<network>`. */
    readonly nodes: ReadonlyMap<string, Node>;
    /** Subscriptions to the chains of `nodes`, by `<segment>/<network>`. */
    readonly feeds: ReadonlyMap<string, ChainFeed>;
    readonly queries: Queries;
    readonly changeMasterKey: Vault['changeMasterKey'];
    readonly turns: LoopTurns;
    readonly largeWorkThrottle: LargeWorkThrottle;
    readonly system: System;
  };

const createFollowers = (
  ports: Ports,
  handle: Handle,
  notifierPorts: { deliveries: Deliveries; descriptions: Descriptions; balances: Balances; contracts: Contracts },
) =>
  [...ports.chains].map(([tag, { chain, isNew, oldHeadSeconds }]) => {
    const variant = findVariant(tag) as Variant;
    const watched = createWatchList(ports, tag);
    const ledgers = createLedgerWriter({ ...ports, handle }, variant);
    const notifier = createNotifier({ ...ports, ...notifierPorts, ledgers, watched }, variant);
    const tracedChain = recordingTraces(chain, ports.state, tag);
    const shared = { ...ports, ...notifierPorts, handle, chain: tracedChain, watched, ledgers, notifier };
    const unreadableBlockMs = ports.unreadableBlockSeconds * 1000;
    return createFollower(shared, variant, { fromGenesis: isNew, unreadableBlockMs, oldHeadSeconds });
  });

type ProcessParts = {
  /** Event store without upcasting. The sealer hashes events in the shape in which they were stored. */
  readonly stored: EventStore;
  readonly handle: Handle;
  readonly projecting: Omit<Projecting, 'stops'>;
  readonly records: WalletApis;
  readonly caches: readonly EventInvalidatedCache[];
  readonly followers: readonly Follower[];
};

/** Returns the table of all background processes, which docs/architecture.md repeats. */
const createProcesses = (ports: Ports, parts: ProcessParts): readonly ServiceProcess[] => {
  const { stored, handle, records, caches, followers } = parts;
  const { progress, projector, rebuild } = parts.projecting;
  const { addresses, contracts, deliveries, webhooks, webhookHeaders: headers } = records;
  const shared = { ...ports, handle, contracts };
  const chains = createChains(ports.chains);
  const sealer = createSealer({ ...ports, events: stored, handle });
  // One process at a time fills the queue: a second one would only repeat the work.
  const leased = createLease('delivery-queue', ports);
  return [
    { role: 'projector', name: 'projector', run: projector.run },
    { role: 'projector', name: 'projection rebuild', run: rebuild.runOutdated },
    { role: 'projector', name: 'clock keeper', run: createClockKeeper({ ...ports, handle }) },
    { role: 'projector', name: 'history sealer', run: sealer.follow },
    { role: 'projector', name: 'overdue history sealer', run: sealer.sealOverdue },
    ...createWitnessNotifiers(ports),
    { role: 'follower', name: 'token describer', run: createTokenDescriber({ ...ports, handle }) },
    ...createPendingWatchers(ports),
    ...followers.flatMap(({ variant: chain, run, notify, readBalances }): ServiceProcess[] => [
      { role: 'follower', name: 'follower', chain, run },
      { role: 'follower', name: 'notification fan-out', chain, run: notify },
      { role: 'follower', name: 'balance reader', chain, run: readBalances },
    ]),
    ...onEachChain(ports, 'transaction watcher', (chain, variant) => {
      const { sending } = chain;
      if (!variant.can.includes('managed-transactions') || !sending) return null;
      return createTransactionWatcher({ ...shared, chain, sending }, variant);
    }),
    ...onEachChain(ports, 'finder of token accounts', (chain, variant) =>
      chain.hasTokenAccounts ? createAccountFinder({ ...shared, chain, progress }, variant) : null,
    ),
    ...onEachChain(ports, 'balance refresher', (chain, variant) =>
      createBalanceRefresher({ ...shared, chain, chains, progress }, variant),
    ),
    ...onEachChain(ports, 'balances of unreadable blocks', (chain, variant) =>
      createUnreadableBlockBalances({ ...shared, chain, records: createBlockRecords(shared, variant) }, variant),
    ),
    { role: 'deliverer', name: 'delivery queue', run: leased(createDeliveryQueue(ports)) },
    { role: 'deliverer', name: 'webhook changes', run: leased(createWebhookChanges({ ...ports, handle, progress })) },
    {
      role: 'deliverer',
      name: 'webhook header cleanup',
      run: leased(createLeftoverHeaders({ ...ports, progress, headers })),
    },
    { role: 'deliverer', name: 'delivery repair', run: leased(createDeliveryRepair(ports)) },
    {
      role: 'deliverer',
      name: 'transaction notifier',
      run: leased(createTransactionNotifier({ ...ports, progress, deliveries })),
    },
    { role: 'deliverer', name: 'seal notifier', run: leased(createSealNotifier({ ...ports, progress, deliveries })) },
    { role: 'deliverer', name: 'deliverer', run: createDeliverer({ ...ports, handle, webhooks, headers }) },
    { role: 'api', name: 'cache invalidation', run: invalidateFromEvents(ports.events, caches) },
    { role: 'api', name: 'secret shredder', run: createShredder(ports) },
    { role: 'api', name: 'removal of addresses', run: createRemovalResumption({ ...ports, progress, addresses }) },
  ];
};

export const createApp = (given: Ports, versions = upcasters): App => {
  const stored = given.events;
  const ports: Ports = { ...given, events: currentEvents(stored, versions) };
  const { events, readModels, limiter, vault, system } = ports;
  const { stops, ...projecting } = createProjecting(ports);
  const { progress, projector } = projecting;
  const [turns, largeWorkThrottle] = [createLoopTurns(system), createLargeWorkThrottle(system)];
  const quotaGuard = createQuotaGuard({ ...ports, progress });
  const handle = createHandle(events, system, quotaGuard, progress.reached, largeWorkThrottle);
  const isProven = createIsProven({ ...ports, events: stored });
  const [credentialCache, limits] = [createCredentialCache({ ...ports, isProven }), createLimitCache(events)];
  const pageTokens = createPageTokens(system);
  const lists = createLists(readModels, pageTokens);
  const [chains, headAhead] = [createChains(ports.chains), createHeadAhead(ports)];
  const addressParser = createAddressParser({ ...ports, chains });
  const walletPorts = { ...ports, handle, chains, headAhead, progress, turns };
  const records = createWalletApis({ ...walletPorts, pageTokens });
  const { contracts, descriptions, deliveries } = records;
  const balances = createBalances({ ...ports, handle, addressParser, contracts, chains });
  const imports = createAssetImports({ handle, readModels, addressParser, balances, chains, system });
  const followers = createFollowers(ports, handle, { deliveries, descriptions, balances, contracts });
  const { tokens, ...gatewayAuth } = createGatewayAuth({ ...ports, handle, lists, credentialCache, limits });
  const caches = [credentialCache, tokens, limits];
  return {
    ...records,
    access: createAccess({ ...ports, credentials: credentialCache, limits, nonces: createNonces(ports) }),
    credentialCache,
    ...gatewayAuth,
    organizations: createOrganizations({ ...ports, handle }),
    credentials: createCredentials({ ...ports, handle, lists, credentialCache }),
    rateLimits: createRateLimits({ handle, readModels }),
    quotas: createQuotas({ handle, readModels }),
    balances,
    imports,
    followers,
    processes: createProcesses(ports, { stored, handle, projecting, records, caches, followers }),
    transactionCreation: createTransactionCreation({ ...ports, handle, addressParser, chains }),
    stuckTransactions: createStuckTransactions(ports),
    chainBlocks: createChainBlocks({ ...ports, handle, chains }),
    deliveriesWaiting: ports.jobs.count,
    sharedWebhookKeys: ports.signer.sharedKeys,
    nodes: ports.nodes,
    feeds: new Map([...ports.nodes].map(([address, node]) => [address, createChainFeed(node, system)])),
    queries: createQueries(ports),
    idempotency: createIdempotency(limiter),
    ...projecting,
    status: createStatus({ ...ports, projector, stops, projections }),
    audit: createAudit({ ...ports, stored, handle, pageTokens }),
    ...createProvenLog({ ...ports, events: stored, handle }),
    asOf: createAsOf({
      ...ports,
      pageTokens,
      show: (then) => createWalletApis({ ...walletPorts, handle: createHandle(then.events, system), ...then }),
    }),
    differences: createDifferences(ports),
    changeMasterKey: vault.changeMasterKey,
    turns,
    largeWorkThrottle,
    system,
  };
};
