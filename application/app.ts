import { type Upcasters, upcasters } from '../domain/upcasters.js';
import { createQuotaGuard } from './access/quota-guard.js';
import { createLargeWorkThrottle, type LargeWorkThrottle } from './async/turns/large-work-throttle.js';
import { createLoopTurns, type LoopTurns } from './async/turns/loop-turns.js';
import { authenticatedAppends } from './commands/authenticated-appends.js';
import { currentEvents } from './commands/current-events.js';
import { createIdempotency, type Idempotency } from './commands/idempotency.js';
import { createTracedHandle } from './commands/traced-handle.js';
import { type AccessUseCases, createAccessUseCases } from './composition/access-use-cases.js';
import { createProcesses } from './composition/background-processes.js';
import { type BalanceUseCases, createBalanceUseCases } from './composition/balance-use-cases.js';
import { createFollowers } from './composition/followers.js';
import { createHistories, type Histories } from './composition/histories.js';
import type { Ports } from './composition/service-ports.js';
import { createWalletApis, type WalletApis } from './composition/wallet-apis.js';
import { type ChainBlocks, createChainBlocks } from './following/blocks/chain-blocks.js';
import type { Follower } from './following/follow-chain.js';
import { createHeadAhead } from './following/head-ahead.js';
import { type ChainFeed, createChainFeed } from './gateway/chain-feed.js';
import { createOperatorViews, type OperatorViews } from './maintenance/operator-views.js';
import { createMaintenance, type Maintenance } from './maintenance/record-maintenance.js';
import { createArrivals } from './notifications/arrivals.js';
import { createChains } from './ports/chains.js';
import type { Jobs } from './ports/jobs.js';
import type { Node } from './ports/node.js';
import type { WebhookSigner } from './ports/sender.js';
import type { System } from './ports/system.js';
import { noTracer, type Tracer } from './ports/tracing/tracer.js';
import { measuredAppends } from './processes/measured-appends.js';
import { createMeasurements, type Measure } from './processes/measurements.js';
import type { ServiceProcess } from './processes/service-process.js';
import { createProjecting, type Projecting } from './projecting/projecting.js';
import { createQueries, type Queries } from './queries/queries.js';
import { createPageTokens } from './read-models/page-tokens.js';
import { createLists } from './read-models/paging.js';
import { createTracing, type Tracing } from './tracing/tracing.js';
import { createTransactionCreation, type TransactionCreation } from './transactions/create.js';
import { createAddressParser } from './wallets/address-parser.js';
import { createOldestDelivery, type OldestDelivery } from './webhooks/oldest-delivery.js';

/** Service without its adapters: the use cases, which do all I/O through the ports, and the background processes. */
export type App = WalletApis &
  Histories &
  OperatorViews &
  BalanceUseCases &
  Omit<Projecting, 'stops'> &
  AccessUseCases &
  Tracing & {
    readonly idempotency: Idempotency;
    readonly followers: readonly Follower[];
    readonly transactionCreation: TransactionCreation;
    readonly chainBlocks: ChainBlocks;
    /** All background processes. `serve` runs the processes that belong to its configured roles. */
    readonly processes: readonly ServiceProcess[];
    readonly deliveriesWaiting: Jobs['count'];
    readonly oldestDelivery: OldestDelivery;
    /** Completes all requests that wait for notifications, so that the service can stop. */
    readonly endNotificationWaits: () => void;
    /** Adds a listener that is called with each measurement of this process. */
    readonly onMeasurement: (listener: Measure) => void;
    /** Returns the public keys, shared by all webhooks, that are valid at a given time (Unix ms). */
    readonly sharedWebhookKeys: WebhookSigner['sharedKeys'];
    /** Pools of chain nodes, by `<segment>/<network>` of the gateway's URLs. */
    readonly nodes: ReadonlyMap<string, Node>;
    /** Subscriptions to the chains of `nodes`, by `<segment>/<network>`. */
    readonly feeds: ReadonlyMap<string, ChainFeed>;
    readonly queries: Queries;
    readonly maintenance: Maintenance;
    readonly turns: LoopTurns;
    readonly largeWorkThrottle: LargeWorkThrottle;
    readonly system: System;
  };

type MeasuredPorts = Ports & { readonly measure: Measure; readonly tracer: Tracer };

/** Wraps the event store: events are read in their current shape; appends are authenticated and measured. */
const measuredPorts = (given: Ports, versions: Upcasters) => {
  const { measure, listen: onMeasurement } = createMeasurements();
  const { tracer = noTracer } = given;
  const stored = authenticatedAppends(given.events, given.notary, given.system);
  const events = measuredAppends(currentEvents(stored, versions), measure, given.system, tracer);
  const ports: MeasuredPorts = { ...given, events, measure, tracer };
  return { ports, onMeasurement };
};

export const createApp = (given: Ports, versions = upcasters): App => {
  const stored = given.events;
  const { ports, onMeasurement } = measuredPorts(given, versions);
  const { events, readModels, limiter, vault, system, tracer } = ports;
  const { stops, ...projecting } = createProjecting(ports);
  const { progress, projector } = projecting;
  const [turns, largeWorkThrottle] = [createLoopTurns(system), createLargeWorkThrottle(system)];
  const quotaGuard = createQuotaGuard({ ...ports, progress });
  const handle = createTracedHandle(tracer, events, system, quotaGuard, progress.reached, largeWorkThrottle);
  const pageTokens = createPageTokens(system);
  const accessParts = { stored, handle, lists: createLists(readModels, pageTokens) };
  const { useCases: access, caches } = createAccessUseCases(ports, accessParts);
  const [chains, headAhead] = [createChains(ports.chains), createHeadAhead(ports)];
  const addressParser = createAddressParser({ ...ports, chains });
  const feedPorts = { history: events, horizon: progress.refresh, arrivals: createArrivals(ports) };
  const walletPorts = { ...ports, ...feedPorts, handle, chains, headAhead, progress, turns };
  const records = createWalletApis({ ...walletPorts, pageTokens });
  const { contracts, descriptions, deliveries } = records;
  const balanceUseCases = createBalanceUseCases({ ...walletPorts, contracts, addressParser });
  const { balances, reconciliation } = balanceUseCases;
  const followers = createFollowers(ports, handle, { deliveries, descriptions, balances, contracts });
  const [tracing, oldestDelivery] = [createTracing({ ...ports, pageTokens }), createOldestDelivery(ports)];
  const parts = { stored, handle, projecting, records, reconciliation, followers, versions, ...tracing };
  return {
    ...records,
    ...access,
    ...balanceUseCases,
    followers,
    processes: createProcesses(ports, { ...parts, ...access, caches: [...caches, feedPorts.arrivals] }),
    transactionCreation: createTransactionCreation({ ...ports, handle, addressParser, chains }),
    chainBlocks: createChainBlocks({ ...ports, handle, chains }),
    deliveriesWaiting: ports.jobs.count,
    endNotificationWaits: feedPorts.arrivals.stop,
    oldestDelivery,
    onMeasurement,
    sharedWebhookKeys: ports.signer.sharedKeys,
    nodes: ports.nodes,
    feeds: new Map([...ports.nodes].map(([address, node]) => [address, createChainFeed(node, system)])),
    queries: createQueries(ports),
    idempotency: createIdempotency(limiter),
    ...projecting,
    ...createOperatorViews({ ...ports, projector, stops, oldestDelivery }, versions),
    ...createHistories(ports, { stored, handle, pageTokens, walletPorts }),
    ...tracing,
    maintenance: createMaintenance({ handle, vault }),
    turns,
    largeWorkThrottle,
    system,
  };
};
