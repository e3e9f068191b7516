import { mapInSlices, slicesOf } from '../async/slices.js';
import type { Chain, Header } from '../ports/chain.js';
import type { System } from '../ports/system.js';
import type { Activity } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { type ActivityTasks, headerAt, type KnownHeaders } from './activity-tasks.js';
import type { LedgerWriter } from './ledger-writer.js';
import type { Notifier } from './notify.js';

type Ports = {
  readonly chain: Chain;
  readonly watched: WatchList;
  readonly ledgers: LedgerWriter;
  readonly notifier: Notifier;
  readonly tasks: ActivityTasks;
  readonly system: System;
};

const activitiesAtOnce = 64;

/** Returns whether the block is on the chain; null when the chain has no header at its height yet. */
const isCanonical = async (chain: Chain, known: KnownHeaders, { number, hash }: Activity['block']) => {
  if (number > (known.headers.at(-1) as Header).number) return null;
  const found = await headerAt(chain, known, number);
  return found && found.hash === hash;
};

/**
 * Creates functions that queue the activities that a new block makes due. Activities to confirm, and activities with
 * unread balances, are queued for the balance reader; activities with notifications to send are queued for the fan-out.
 * The follower waits for neither queue. Activities whose block is no longer on the chain, which a crash or a failure
 * may have left behind, are dropped.
 */
export const createSettlement = (
  { chain, watched, ledgers, notifier, tasks, system }: Ports,
  queues: { notify: (activity: Activity) => void; read: (activity: Activity) => void },
) => {
  /** False at the start and after a failure, when some activities may not be queued. */
  let isComplete = false;

  const drop = (activity: Activity) => ledgers.drop(activity, notifier.hasListeners(activity));
  const confirm = async (known: KnownHeaders, activity: Activity) => {
    const isOnChain = await isCanonical(chain, known, activity.block);
    if (isOnChain) queues.read(activity);
    else if (isOnChain === false) await drop(activity);
    else tasks.retry(known, activity);
  };
  const dropReplaced = async (known: KnownHeaders) => {
    if (isComplete) return;
    await tasks.restart();
    await mapInSlices(tasks.replaced(known), activitiesAtOnce, drop);
    await watched.catchUp();
  };

  return {
    /** Makes the next settlement check all activities, because a failure may have left some activities unqueued. */
    recheckAll: () => {
      isComplete = false;
    },
    settle: async (known: KnownHeaders): Promise<void> => {
      await watched.catchUp();
      await dropReplaced(known);
      isComplete = false;
      await tasks.scheduleChanged();
      for (const some of slicesOf(tasks.toConfirm(known), activitiesAtOnce)) {
        await Promise.all(some.map((activity) => confirm(known, activity)));
        await system.breathe();
      }
      await watched.catchUp();
      await tasks.scheduleChanged();
      for (const activity of tasks.toNotify(known)) queues.notify(activity);
      for (const activity of tasks.toRead(known)) queues.read(activity);
      isComplete = true;
    },
  };
};
