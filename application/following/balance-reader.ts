import type { Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import { distinct } from '../../domain/aggregates/ledger.js';
import type { Variant } from '../../domain/variant.js';
import { type UnreadBalanceDocument, unreadBalances } from '../../projections/assets.js';
import { recordBalances } from '../assets/balance-ledger.js';
import { groupBy } from '../async/group-by.js';
import { allSettledOrThrow, createOrganizationQueue, firstOf } from '../async/turns/organization-queue.js';
import { type Handle, scopeFor } from '../commands/handle.js';
import type { Chain, Header } from '../ports/chain.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { Measure } from '../processes/measurements.js';
import type { Activity } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { type ActivityTasks, headerAt, type KnownHeaders } from './activity-tasks.js';
import type { FailingContract, FailingContracts } from './failing-contracts.js';
import type { LedgerWriter } from './ledger-writer.js';
import type { Notifier } from './notify.js';
import { createBalanceReading } from './read-balances.js';

type Ports = {
  readonly chain: Chain;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly watched: WatchList;
  readonly ledgers: LedgerWriter;
  readonly notifier: Notifier;
  readonly tasks: ActivityTasks;
  readonly aside: FailingContracts;
  readonly measure: Measure;
  readonly system: System;
};

/** Failing contract that is retried, one page of its unread balances at a time. */
type Retry = { readonly entry: FailingContract; after?: PageKey | undefined; reason?: string | undefined };
type Due = { readonly activity: Activity; readonly holdings: readonly Holding[]; readonly drops: number };
/**
 * Maximum time in milliseconds that the confirmation of an activity waits for its balances, so that confirmation and
 * balances usually appear at the same time.
 */
const togetherMs = 1000;

const organizationsAtOnce = 8;
const activitiesAtOnce = 64;
const retriedAtOnce = 90;

const knownHeader = async (chain: Chain, headers: KnownHeaders, height: number): Promise<Header> => {
  const found = await headerAt(chain, headers, height);
  if (!found) throw new Error(`No node has block ${height}, at which balances must be read.`);
  return found;
};

type BalanceReading = ReturnType<typeof createBalanceReading>;

/** Creates a function that confirms activities of one organization and records their balances. */
const createSettling = (ports: Ports, variant: Variant, { read }: BalanceReading) => {
  const { chain, watched, ledgers, notifier, tasks, measure, system } = ports;
  /** Returns whether the wallet still has the address; balances of removed addresses are not read. */
  const isHeld = ({ organizationId, walletId }: Activity, { address }: Holding) =>
    watched.holders(address).some((one) => one.organizationId === organizationId && one.walletId === walletId);

  const examine = async (activity: Activity): Promise<Due> => {
    const { holdings, drops } = await ledgers.read(activity);
    return { activity, drops, holdings: distinct(holdings).filter((holding) => isHeld(activity, holding)) };
  };
  const measureAges = (some: readonly Due[]) => {
    for (const { activity } of some)
      measure('settlement', system.now() / 1000 - activity.block.time, { chain: variant.tag });
  };
  /**
   * Confirms the pending activities without their balances if the balances are not read within `togetherMs` or cannot
   * be read, so that webhooks do not wait for balances. Returns true, without confirming anything, if the balances were
   * read in time.
   */
  const confirmLate = async (pending: readonly Due[], reading: Promise<unknown>) => {
    const over = new AbortController();
    const isRead = reading.then(
      () => true,
      () => false,
    );
    const isInTime = await Promise.race([isRead, system.sleep(togetherMs, over.signal).then(() => false)]);
    over.abort();
    if (isInTime) return true;
    await allSettledOrThrow(pending.map(({ activity }) => ledgers.confirm(activity, notifier.hasListeners(activity))));
    measureAges(pending);
    return false;
  };
  const settleAt = async (organizationId: string, some: readonly Due[], at: Header) => {
    const keyOf = ({ address, asset }: Holding) => `${address} ${JSON.stringify(asset)}`;
    const reading = read(organizationId, distinct(some.flatMap((one) => one.holdings)), at);
    const pending = some.filter(({ activity }) => activity.phase === 'pending');
    const isInTime = await confirmLate(pending, reading);
    const { balances, aside: unread } = await reading;
    const found = new Map(balances.map((one) => [keyOf(one), one]));
    const missing = new Map(unread.map((one) => [keyOf(one), one]));
    const pick = <T>(from: ReadonlyMap<string, T>, holdings: readonly Holding[]) =>
      holdings.flatMap((one) => from.get(keyOf(one)) ?? []);
    await allSettledOrThrow(
      some.map(({ activity, holdings, drops }) =>
        ledgers.settle(activity, {
          balances: pick(found, holdings),
          aside: pick(missing, holdings),
          at,
          open: notifier.hasListeners(activity),
          drops,
        }),
      ),
    );
    if (isInTime) measureAges(pending);
  };
  return async (organizationId: string, activities: readonly Activity[], headers: KnownHeaders) => {
    const due = await allSettledOrThrow(activities.map(examine));
    for (const [height, some] of groupBy(due, ({ activity }) => tasks.heightFor(headers, activity)))
      await settleAt(organizationId, some, await knownHeader(chain, headers, height));
  };
};

/** Creates a function that reads the balances of failing contracts again. */
const createRetrying = (ports: Ports, variant: Variant, reading: BalanceReading) => {
  const { chain, readModels, handle, watched, tasks, aside } = ports;
  const { contextOf, fail, recover, readAgain } = reading;

  const isFollowed = ({ organizationId, contract }: FailingContract) =>
    !variant.can.includes('token-contracts') || watched.standardOf(organizationId, contract) !== undefined;
  /**
   * Reads and records unread balances of one wallet. Returns the reason why a balance could not be read; undefined when
   * all balances were read.
   */
  const retryWallet = async ({ entry }: Retry, some: readonly UnreadBalanceDocument[], headers: KnownHeaders) => {
    const { organizationId, contract } = entry;
    const { wallet_id: walletId } = some[0] as UnreadBalanceDocument;
    const at = await knownHeader(chain, headers, tasks.confirmedHeight(headers, { organizationId, walletId }));
    const { balances, aside: unread } = await readAgain(organizationId, some, at);
    const context = contextOf(organizationId, contract);
    if (balances.length > 0) await recordBalances(handle, context, { walletId, balances, at, chain: headers.chain });
    return unread[0]?.reason;
  };
  const pageOf = async ({ entry, after }: Retry) => {
    if (!isFollowed(entry)) return { documents: [], next: null };
    const query = { index: 'byContract', equal: [entry.contract], limit: retriedAtOnce, after };
    return readModels.page(unreadBalances, scopeFor(contextOf(entry.organizationId, entry.contract)), query);
  };
  const end = ({ entry: { organizationId, contract }, reason }: Retry) =>
    reason === undefined ? recover(organizationId, contract) : fail(organizationId, contract, reason, false);

  /** Retries one page of the contract's unread balances. Returns true when no further page is to be retried for now. */
  return async (retried: Retry, headers: KnownHeaders): Promise<boolean> => {
    const page = await pageOf(retried);
    for (const some of groupBy(page.documents, ({ wallet_id }) => wallet_id).values()) {
      const reason = await retryWallet(retried, some, headers);
      // Ends this retry if the contract failed again meanwhile: the contract then has a new entry with a later retry
      // time.
      if (!aside.isCurrent(retried.entry)) return true;
      retried.reason ??= reason;
    }
    retried.after = page.next ?? undefined;
    if (!page.next) await end(retried);
    return !page.next;
  };
};

/**
 * Creates the process that confirms activities together with the balances that they may have changed, and corrects
 * balances after a reorg. The process runs apart from the follower: organizations take turns, and a failing contract
 * delays only organizations that follow it.
 */
export const createBalanceReader = (ports: Ports, variant: Variant, known: () => KnownHeaders | null) => {
  const { watched, aside, system } = ports;
  const reading = createBalanceReading(ports, variant);
  const settle = createSettling(ports, variant, reading);
  const retry = createRetrying(ports, variant, reading);

  const lanes = createOrganizationQueue<Activity | Retry>(system, {
    name: 'balance reader',
    atOnce: organizationsAtOnce,
    work: async (lane, organizationId) => {
      const headers = known();
      if (!headers) return lane.clear();
      const some = firstOf(lane, activitiesAtOnce);
      const [retried] = some.filter((one): one is Retry => 'entry' in one);
      if (retried && (await retry(retried, headers))) lane.delete(retried);
      const activities = some.filter((one): one is Activity => !('entry' in one));
      const isCurrent = (activity: Activity) => watched.activities.current(activity) === activity;
      await settle(organizationId, activities.filter(isCurrent), headers);
      for (const activity of activities) lane.delete(activity);
    },
  });

  return {
    run: lanes.run,
    add: (activity: Activity) => lanes.add(activity.organizationId, activity),
    /** Queues the failing contracts whose retry is due. */
    retryDue: () => {
      for (const entry of aside.takeDue()) lanes.add(entry.organizationId, { entry });
    },
  };
};
