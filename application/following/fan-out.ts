import { allSettledOrThrow, createOrganizationQueue, firstOf } from '../async/turns/organization-queue.js';
import type { System } from '../ports/system.js';
import type { Activity } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { type ActivityTasks, depthOf, isReplaced, type KnownHeaders } from './activity-tasks.js';
import type { LedgerWriter } from './ledger-writer.js';
import type { Notifier } from './notify.js';

type Ports = {
  readonly watched: WatchList;
  readonly ledgers: LedgerWriter;
  readonly notifier: Notifier;
  readonly tasks: ActivityTasks;
  readonly system: System;
};

const organizationsAtOnce = 4;
const activitiesAtOnce = 8;

/**
 * Creates the queue that requests webhook deliveries for activities. An activity consists of the changes that one block
 * makes to one wallet. The queue is served apart from the follower, so that no block waits for webhooks. Organizations
 * take turns, one bounded piece each. After a restart, the ledgers show which notifications are still due. Calls
 * `onRetracted` for each dropped activity whose notifications were retracted, so that the balances of the activity are
 * corrected.
 */
export const createFanOut = (
  { watched, ledgers, notifier, tasks, system }: Ports,
  known: () => KnownHeaders | null,
  onRetracted: (activity: Activity) => void,
) => {
  /** Returns true when nothing is left to be done for the activity at this height. */
  const notify = async (activity: Activity, chain: KnownHeaders) => {
    const [depth, isConfirmed] = [depthOf(chain, activity), activity.phase === 'open'];
    // A replaced activity is left to the follower, which drops it. A pending activity with enough confirmations is left
    // to the balance reader, which confirms it. Either change queues the activity here again.
    if (isReplaced(chain, activity) || (!isConfirmed && tasks.isDeepEnough(chain, activity))) return true;
    const { left, count, isNotified } = await notifier.notify(activity, depth, isConfirmed);
    if (left === 'later') tasks.scheduleNotification(activity, depth);
    if (left === 'nothing' && isConfirmed) await ledgers.close(activity, count, !isNotified);
    return left !== 'more';
  };
  const retract = async (activity: Activity) => {
    const isDone = await notifier.retract(activity);
    if (isDone) onRetracted(activity);
    return isDone;
  };
  const serve = async (lane: Set<Activity>, activity: Activity, chain: KnownHeaders) => {
    const isCurrent = watched.activities.current(activity) === activity;
    const isDone = !isCurrent || (await (activity.phase === 'due' ? retract(activity) : notify(activity, chain)));
    if (isDone) lane.delete(activity);
  };

  return createOrganizationQueue<Activity>(system, {
    name: 'notification fan-out',
    atOnce: organizationsAtOnce,
    work: async (lane) => {
      const chain = known();
      if (!chain) return lane.clear();
      await allSettledOrThrow(firstOf(lane, activitiesAtOnce).map((activity) => serve(lane, activity, chain)));
    },
  });
};
