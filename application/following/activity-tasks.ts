import { thresholdOf, type Variant } from '../../domain/variant.js';
import { createPriorityQueue } from '../async/priority-queue.js';
import type { Chain, Header } from '../ports/chain.js';
import type { Activity, Holder } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';

/** Linked headers that a follower has taken of a chain; the first is final. */
export type Known = { readonly chain: string; readonly headers: readonly Header[] };

const tipOf = ({ headers }: Known) => headers.at(-1) as Header;

/** Tells whether the known headers have another block at the activity's height; final ones are not looked at again. */
export const isReplaced = ({ headers }: Known, { block }: Activity) =>
  (headers[block.number - (headers[0] as Header).number] ?? block).hash !== block.hash;

/** Returns the header at a height; one below the known headers is final, so the nodes agree on it. */
export const headerAt = async (chain: Chain, { headers }: Known, height: number) =>
  headers[height - (headers[0] as Header).number] ?? (await chain.headerAt(Math.max(0, height)));

export const depthOf = (known: Known, { block }: Activity) => tipOf(known).number - block.number + 1;

/**
 * Keeps unfinished activities by the height at which something is to be done for them, so that a new block costs only
 * the activities that it makes due.
 */
export const createActivityTasks = (watched: WatchList, variant: Variant) => {
  const confirming = createPriorityQueue<Activity>();
  const telling = createPriorityQueue<Activity>();
  let reading: Activity[] = [];

  const thresholdFor = (holder: Holder) => thresholdOf(variant, watched.confirmation(holder));
  const confirmedHeight = (known: Known, holder: Holder) => tipOf(known).number - thresholdFor(holder) + 1;
  const heightFor = (known: Known, activity: Activity) => {
    const confirmed = confirmedHeight(known, activity);
    return activity.phase === 'due' ? confirmed : Math.max(confirmed, activity.block.number);
  };

  /** Waits for the next webhook that is deeper than `depth`; one that is open without such a webhook is to be closed. */
  const waitToTell = (activity: Activity, depth: number) => {
    const deeper = watched.listeners(activity).flatMap(({ confirmation }) => {
      const wanted = thresholdOf(variant, confirmation);
      return wanted > depth ? [wanted] : [];
    });
    const next = deeper.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
    if (next < Number.POSITIVE_INFINITY) telling.push(activity.block.number + next - 1, activity);
    else if (depth === 0 && activity.phase === 'open') telling.push(activity.block.number, activity);
  };
  const file = (activity: Activity) => {
    if (activity.phase === 'due') return telling.push(0, activity);
    if (activity.phase === 'pending') confirming.push(activity.block.number + thresholdFor(activity) - 1, activity);
    if (activity.unread) reading.push(activity);
    if (activity.phase !== 'settled') waitToTell(activity, 0);
  };
  const isCurrent = (known: Known) => (activity: Activity) =>
    activity.block.chain === known.chain && watched.activities.current(activity) === activity;
  const due = (queue: typeof telling, known: Known) => [
    ...new Set(queue.takeUpTo(tipOf(known).number).filter(isCurrent(known))),
  ];
  const fileChanged = () => watched.activities.takeChanged().forEach(file);

  return {
    confirmedHeight,
    /** Tells whether the block is as deep as its wallet waits for. */
    isDeepEnough: (known: Known, activity: Activity) => activity.block.number <= confirmedHeight(known, activity),
    /** Returns the height at which the activity's balances are read: the confirmed one, and never below its block. */
    heightFor,
    waitToTell,
    /** Takes an activity up again with the next block. */
    retry: (known: Known, activity: Activity) => confirming.push(tipOf(known).number + 1, activity),
    /** Files all activities anew, because a failure may have lost some of those that were due. */
    restart: () => {
      for (const queue of [confirming, telling]) queue.clear();
      watched.activities.takeChanged();
      reading = [];
      for (const activity of watched.activities.all()) file(activity);
    },
    replaced: (known: Known) =>
      [...watched.activities.all()].filter(
        (activity) => activity.block.chain === known.chain && activity.phase !== 'due' && isReplaced(known, activity),
      ),
    toConfirm: (known: Known) => {
      fileChanged();
      return due(confirming, known);
    },
    toTell: (known: Known) => {
      fileChanged();
      return due(telling, known);
    },
    toRead: (known: Known) => {
      fileChanged();
      const found = reading.filter(isCurrent(known));
      reading = [];
      return found;
    },
  };
};
export type ActivityTasks = ReturnType<typeof createActivityTasks>;
