import type { Upcasters } from '../../domain/upcasters.js';
import { projections } from '../../projections/index.js';
import { type EventInvalidatedCache, invalidateFromEvents } from '../access/event-invalidated-cache.js';
import type { SessionAuth } from '../access/sessions/session-auth.js';
import { createSessionSweeper } from '../access/sessions/sweep-sessions.js';
import { createShredder } from '../access/shred-secrets.js';
import { createAccountFinder } from '../assets/accounts/find-accounts.js';
import { createTokenDescriber } from '../assets/describe-tokens.js';
import { createBalanceRefresher } from '../assets/refreshing/refresh-balances.js';
import { createWitnessNotifiers } from '../audit/log/notify-witness.js';
import { createSealer } from '../audit/seals/seal-history.js';
import type { Handle } from '../commands/handle.js';
import { createBlockRecords } from '../following/blocks/block-records.js';
import { createUnreadableBlockBalances } from '../following/blocks/unreadable-block-balances.js';
import type { Follower } from '../following/follow-chain.js';
import { isNeglected } from '../following/progress/heartbeat.js';
import { createImportProgress } from '../importing/import-progress.js';
import { createHistoryImporter } from '../importing/run-imports.js';
import { createChains } from '../ports/chains.js';
import type { EventStore } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import { createClockKeeper } from '../processes/keep-clock.js';
import { type LeaseTerms, withLeases } from '../processes/lease.js';
import type { Measure } from '../processes/measurements.js';
import { onEachChain } from '../processes/on-each-chain.js';
import type { ServiceProcess } from '../processes/service-process.js';
import type { Projecting } from '../projecting/projecting.js';
import { createPendingWatchers } from '../queries/watch-pending.js';
import { createDriftNotifier } from '../reconciliation/notify-drifts.js';
import { createReconciler } from '../reconciliation/reconcile-all.js';
import type { Reconciliation } from '../reconciliation/reconcile-wallet.js';
import type { Tracing } from '../tracing/tracing.js';
import { createTransactionNotifier } from '../transactions/notify.js';
import { createTransactionWatcher } from '../transactions/watch.js';
import { createRemovalResumption } from '../wallets/resume-removals.js';
import { createDeliverer } from '../webhooks/deliver.js';
import { createLeftoverHeaders } from '../webhooks/leftover-headers.js';
import { createSealNotifier } from '../webhooks/notify-seals.js';
import { createDeliveryQueue, createDeliveryRepair } from '../webhooks/queue-deliveries.js';
import { createWebhookChanges } from '../webhooks/webhook-changes.js';
import type { Ports } from './service-ports.js';
import type { WalletApis } from './wallet-apis.js';

type ProcessParts = SessionAuth & {
  /** Event store without upcasting. The sealer hashes events in the shape in which they were stored. */
  readonly stored: EventStore;
  readonly handle: Handle;
  readonly projecting: Omit<Projecting, 'stops'>;
  readonly records: WalletApis;
  readonly reconciliation: Reconciliation;
  readonly caches: readonly EventInvalidatedCache[];
  readonly followers: readonly Follower[];
  readonly requests: Tracing['requests'];
  readonly versions: Upcasters;
};

const idLength = 8;
/** Returns an id of the release: a hash of the versions of its projections and events. */
const releaseOf = (versions: Upcasters, { sha256 }: Pick<System, 'sha256'>) => {
  const ofProjections = projections.map(({ name, version }) => `${name} ${version}`);
  const ofEvents = Object.entries(versions).map(([type, { up, next }]) => `${type} ${up.length} ${next !== undefined}`);
  return sha256([...ofProjections, ...ofEvents].toSorted().join()).slice(0, idLength);
};

/**
 * Returns the lease under which one instance at a time runs a process; null for a process that every instance runs. Two
 * releases do not share a lease that names the release: each release maintains its own versions of the projections, and
 * may write events that the other release cannot read.
 */
const leaseOf = ({ role, name, chain }: ServiceProcess, release: string, ports: Ports): LeaseTerms | null => {
  if (role === 'api' || name === 'deliverer') return null;
  if (role === 'deliverer') return { name: 'delivery-queue' };
  if (chain === undefined) return { name: `${role}-${release}` };
  // Another instance takes the lease from an owner that does not follow the chain, for example because its nodes fail.
  return { name: `${role}-${chain}-${release}`, isNeglected: () => isNeglected(ports, chain) };
};

/** Returns the table of all background processes, which docs/architecture.md repeats. */
export const createProcesses = (
  ports: Ports & { readonly measure: Measure },
  parts: ProcessParts,
): readonly ServiceProcess[] => {
  const { stored, handle, records, reconciliation, caches, followers } = parts;
  const { progress, projector, rebuild } = parts.projecting;
  const { addresses, contracts, deliveries, descriptions, webhooks, webhookHeaders: headers } = records;
  const shared = { ...ports, handle, contracts };
  const chains = createChains(ports.chains);
  const sealer = createSealer({ ...ports, events: stored, handle });
  const release = releaseOf(parts.versions, ports.system);
  const table: readonly ServiceProcess[] = [
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
    ...onEachChain(ports, 'history importer', (chain, variant) =>
      createHistoryImporter({ ...shared, chain, progress, importProgress: createImportProgress(ports.state) }, variant),
    ),
    ...onEachChain(ports, 'balance reconciler', (_, variant) =>
      ports.reconcileSeconds > 0 ? createReconciler({ ...ports, reconciliation }, variant) : null,
    ),
    ...onEachChain(ports, 'balances of unreadable blocks', (chain, variant) =>
      createUnreadableBlockBalances({ ...shared, chain, records: createBlockRecords(shared, variant) }, variant),
    ),
    { role: 'deliverer', name: 'delivery queue', run: createDeliveryQueue(ports) },
    { role: 'deliverer', name: 'webhook changes', run: createWebhookChanges({ ...ports, handle, progress }) },
    { role: 'deliverer', name: 'webhook header cleanup', run: createLeftoverHeaders({ ...ports, progress, headers }) },
    { role: 'deliverer', name: 'delivery repair', run: createDeliveryRepair(ports) },
    {
      role: 'deliverer',
      name: 'transaction notifier',
      run: createTransactionNotifier({ ...ports, progress, deliveries }),
    },
    { role: 'deliverer', name: 'seal notifier', run: createSealNotifier({ ...ports, progress, deliveries }) },
    {
      role: 'deliverer',
      name: 'drift notifier',
      run: createDriftNotifier({ ...ports, progress, deliveries, descriptions }),
    },
    { role: 'deliverer', name: 'deliverer', run: createDeliverer({ ...ports, handle, webhooks, headers }) },
    { role: 'api', name: 'cache invalidation', run: invalidateFromEvents(ports.events, caches) },
    { role: 'api', name: 'refused requests', run: parts.requests.run },
    { role: 'api', name: 'secret shredder', run: createShredder(ports) },
    { role: 'api', name: 'session sweeper', run: createSessionSweeper({ ...ports, ...parts }) },
    { role: 'api', name: 'removal of addresses', run: createRemovalResumption({ ...ports, progress, addresses }) },
  ];
  return withLeases(table, (process) => leaseOf(process, release, ports), ports);
};
