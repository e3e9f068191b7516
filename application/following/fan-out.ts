import { allDone, createOrganizationQueue, firstOf } from '../async/organization-queue.js';
import type { System } from '../ports/system.js';
import type { Activity } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { type ActivityTasks, depthOf, isReplaced, type Known } from './activity-tasks.js';
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
 * Requests the deliveries of activities apart from following, so that no block waits for webhooks. Organizations take
 * turns, one bounded piece each. A restart finds in the ledgers which activities are not told yet. `corrects` gets each
 * dropped activity that was taken back, whose balances may be corrected now.
 */
export const createFanOut = (
  { watched, ledgers, notifier, tasks, system }: Ports,
  known: () => Known | null,
  corrects: (activity: Activity) => void,
) => {
  /** Returns true when nothing is left to be done for the activity at this height. */
  const tell = async (activity: Activity, chain: Known) => {
    const [depth, isConfirmed] = [depthOf(chain, activity), activity.phase === 'open'];
    // The follower drops a replaced activity and the balance reader confirms a deep one; either comes back here then.
    if (isReplaced(chain, activity) || (!isConfirmed && tasks.isDeepEnough(chain, activity))) return true;
    const { left, count } = await notifier.tell(activity, depth, isConfirmed);
    if (left === 'later') tasks.waitToTell(activity, depth);
    if (left === 'nothing' && isConfirmed) await ledgers.close(activity, count);
    return left !== 'more';
  };
  const takeBack = async (activity: Activity) => {
    const isDone = await notifier.takeBack(activity);
    if (isDone) corrects(activity);
    return isDone;
  };
  const serve = async (lane: Set<Activity>, activity: Activity, chain: Known) => {
    const isCurrent = watched.activities.current(activity) === activity;
    const isDone = !isCurrent || (await (activity.phase === 'due' ? takeBack(activity) : tell(activity, chain)));
    if (isDone) lane.delete(activity);
  };

  return createOrganizationQueue<Activity>(system, {
    name: 'fan-out of notices',
    atOnce: organizationsAtOnce,
    work: async (lane) => {
      const chain = known();
      if (!chain) return lane.clear();
      await allDone(firstOf(lane, activitiesAtOnce).map((activity) => serve(lane, activity, chain)));
    },
  });
};
