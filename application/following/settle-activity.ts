import { mapInSlices, slicesOf } from '../async/slices.js';
import type { Chain, Header } from '../ports/chain.js';
import type { System } from '../ports/system.js';
import type { Activity } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';
import { type ActivityTasks, headerAt, type Known } from './activity-tasks.js';
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

/** Tells whether the block is on the chain; null when the chain has not reached its height or has no header there. */
const isCanonical = async (chain: Chain, known: Known, { number, hash }: Activity['block']) => {
  if (number > (known.headers.at(-1) as Header).number) return null;
  const found = await headerAt(chain, known, number);
  return found && found.hash === hash;
};

/**
 * Hands on the activities that a new block makes due: those to be confirmed and those whose balances are to be read to
 * the balance reader, those of which webhooks are to be notified to the fan-out. Neither keeps the follower waiting. Drops
 * activities whose block is no longer on the chain, which a crash or a failure may have left behind.
 */
export const createSettlement = (
  { chain, watched, ledgers, notifier, tasks, system }: Ports,
  handOn: { tell: (activity: Activity) => void; read: (activity: Activity) => void },
) => {
  /** False at the start and after a failure, when activities may have been left behind. */
  let isSure = false;

  const drop = (activity: Activity) => ledgers.drop(activity, notifier.hasListeners(activity));
  const confirm = async (known: Known, activity: Activity) => {
    const stands = await isCanonical(chain, known, activity.block);
    if (stands) handOn.read(activity);
    else if (stands === false) await drop(activity);
    else tasks.retry(known, activity);
  };
  const dropReplaced = async (known: Known) => {
    if (isSure) return;
    tasks.restart();
    await mapInSlices(tasks.replaced(known), activitiesAtOnce, drop);
    await watched.catchUp();
  };

  return {
    /** Makes the next settlement look at all activities, because a failure may have left some behind. */
    doubt: () => {
      isSure = false;
    },
    settle: async (known: Known): Promise<void> => {
      await watched.catchUp();
      await dropReplaced(known);
      isSure = false;
      for (const some of slicesOf(tasks.toConfirm(known), activitiesAtOnce)) {
        await Promise.all(some.map((activity) => confirm(known, activity)));
        await system.breathe();
      }
      await watched.catchUp();
      for (const activity of tasks.toTell(known)) handOn.tell(activity);
      for (const activity of tasks.toRead(known)) handOn.read(activity);
      isSure = true;
    },
  };
};
