import { thresholdOf, type Variant } from '../../domain/variant.js';
import { eachInSlices } from '../async/slices.js';
import type { Chain, Header } from '../ports/chain.js';
import type { System } from '../ports/system.js';
import type { Activity, Holder } from '../watch-list/activities.js';
import { createDueHeights } from '../watch-list/due-heights.js';
import type { WatchList } from '../watch-list/watch-list.js';

/**
 * Headers of the newest blocks that a follower has processed, each the parent of the next header; the first header is
 * final.
 */
export type KnownHeaders = { readonly chain: string; readonly headers: readonly Header[] };

const tipOf = ({ headers }: KnownHeaders) => headers.at(-1) as Header;

/**
 * Returns true if `block` was replaced: the known headers have another block at its height. Returns false for a height
 * without a known header.
 */
export const isReplaced = ({ headers }: KnownHeaders, { block }: { block: Pick<Header, 'number' | 'hash'> }) =>
  (headers[block.number - (headers[0] as Header).number] ?? block).hash !== block.hash;

/** Returns the header at a height. Headers below the first known header are final and are requested from the nodes. */
export const headerAt = async (chain: Chain, { headers }: KnownHeaders, height: number) =>
  headers[height - (headers[0] as Header).number] ?? (await chain.headerAt(Math.max(0, height)));

export const depthOf = (known: KnownHeaders, { block }: Activity) => tipOf(known).number - block.number + 1;

/** Returns the lowest threshold of `confirmations` that is above `depth`; `Infinity` if there is none. */
const nextThreshold = (variant: Variant, confirmations: readonly number[], depth: number) => {
  let next = Number.POSITIVE_INFINITY;
  for (const confirmation of confirmations) {
    const wanted = thresholdOf(variant, confirmation);
    if (wanted > depth) next = Math.min(next, wanted);
  }
  return next;
};

/** Number of activities that are scheduled before other work in the event loop gets a turn. */
const activitiesPerTurn = 1000;

/**
 * Creates the schedule of unfinished activities (pairs of a wallet and a block with its transfers) by the height at
 * which they are due. For a new block, only the activities that it makes due need work.
 */
export const createActivityTasks = (watched: WatchList, variant: Variant, system: Pick<System, 'breathe'>) => {
  const confirming = createDueHeights<Activity>();
  const notifying = createDueHeights<Activity>();
  let reading: Activity[] = [];

  const thresholdFor = (holder: Holder) => thresholdOf(variant, watched.confirmation(holder));
  const confirmedHeight = (known: KnownHeaders, holder: Holder) => tipOf(known).number - thresholdFor(holder) + 1;
  const heightFor = (known: KnownHeaders, activity: Activity) => {
    const confirmed = confirmedHeight(known, activity);
    return activity.phase === 'due' ? confirmed : Math.max(confirmed, activity.block.number);
  };

  /**
   * Schedules an activity for the height at which the lowest webhook threshold above `depth` is met, unless it is
   * already scheduled for an earlier height because the webhooks changed meanwhile. An open activity without webhooks
   * is scheduled at once, so that it is closed.
   */
  const scheduleNotification = (activity: Activity, depth: number) => {
    const next = nextThreshold(variant, watched.webhookConfirmations(activity), depth);
    if (next < Number.POSITIVE_INFINITY) notifying.lower(activity.block.number + next - 1, activity);
    else if (depth === 0 && activity.phase === 'open') notifying.lower(activity.block.number, activity);
  };
  const schedule = (activity: Activity) => {
    if (activity.phase === 'due') return notifying.set(0, activity);
    if (activity.phase === 'pending') confirming.set(activity.block.number + thresholdFor(activity) - 1, activity);
    if (activity.unread) reading.push(activity);
    if (activity.phase !== 'settled') scheduleNotification(activity, 0);
  };
  const isCurrent = (known: KnownHeaders) => (activity: Activity) =>
    activity.block.chain === known.chain && watched.activities.current(activity) === activity;
  const due = (queue: typeof notifying, known: KnownHeaders) =>
    queue.takeUpTo(tipOf(known).number).filter(isCurrent(known));
  const scheduleChanged = async () => {
    for (;;) {
      const some = watched.activities.takeChanged(activitiesPerTurn);
      if (some.length === 0) return;
      some.forEach(schedule);
      await system.breathe();
    }
  };

  return {
    confirmedHeight,
    /** Returns whether the activity's block has the confirmations that its wallet requires. */
    isDeepEnough: (known: KnownHeaders, one: Activity) => one.block.number <= confirmedHeight(known, one),
    /**
     * Returns the height at which the activity's balances are read: the confirmed height, but not below the activity's
     * block unless that block was replaced.
     */
    heightFor,
    scheduleNotification,
    /** Schedules an activity again for the next block. */
    retry: (known: KnownHeaders, activity: Activity) => confirming.set(tipOf(known).number + 1, activity),
    /**
     * Schedules the activities that changed since the last call, or whose webhooks or confirmation thresholds changed.
     */
    scheduleChanged,
    /** Schedules all activities again, because a failure may have lost scheduled activities. */
    restart: async () => {
      for (const queue of [confirming, notifying]) queue.clear();
      watched.activities.forgetChanged();
      reading = [];
      await eachInSlices([...watched.activities.all()], activitiesPerTurn, system, schedule);
    },
    replaced: (known: KnownHeaders) =>
      [...watched.activities.all()].filter(
        (activity) => activity.block.chain === known.chain && activity.phase !== 'due' && isReplaced(known, activity),
      ),
    toConfirm: (known: KnownHeaders) => due(confirming, known),
    toNotify: (known: KnownHeaders) => due(notifying, known),
    toRead: (known: KnownHeaders) => {
      const found = reading.filter(isCurrent(known));
      reading = [];
      return found;
    },
  };
};
export type ActivityTasks = ReturnType<typeof createActivityTasks>;
