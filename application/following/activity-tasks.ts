import type { Variant } from '../../domain/variant.js';
import type { Header } from '../ports/chain.js';
import type { Activity } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';

/** Where a follower stands: linked headers of a chain, of which the first is final. */
export type Known = { readonly chain: string; readonly headers: readonly Header[] };

const tipOf = ({ headers }: Known) => headers.at(-1) as Header;
const isReplaced = ({ headers }: Known, { block }: Activity) =>
  (headers[block.number - (headers[0] as Header).number] ?? block).hash !== block.hash;

/** What there is to do about what blocks did to wallets. */
export const createActivityTasks = (watched: WatchList, variant: Variant) => {
  const heightFor = (known: Known, activity: Activity) =>
    tipOf(known).number - Math.max(1, watched.confirmation(activity) ?? variant.depth) + 1;
  const depthOf = (known: Known, { block }: Activity) => tipOf(known).number - block.number + 1;

  const isToBeTold = (known: Known, activity: Activity) => {
    const depth = depthOf(known, activity);
    return watched.listeners(activity).some(({ confirmation }) => Math.max(1, confirmation) <= depth);
  };
  /** Deep enough, corrected, or dropped after all. */
  const isToBeSettled = (known: Known, activity: Activity) => {
    const { block, phase } = activity;
    if (phase === 'due' || isReplaced(known, activity)) return true;
    return phase === 'pending' && block.number <= heightFor(known, activity);
  };

  const concerns = (known: Known, activity: Activity) =>
    activity.block.chain === known.chain && (activity.phase !== 'settled' || isReplaced(known, activity));
  const byHeight = (known: Known, activities: readonly Activity[]) => {
    const found = new Map<number, Activity[]>();
    for (const activity of activities) {
      const height = heightFor(known, activity);
      const same = found.get(height) ?? [];
      same.push(activity);
      found.set(height, same);
    }
    return found;
  };

  return {
    depthOf,
    /** `settling` by the height whose balances count. */
    find: (known: Known) => {
      const all = [...watched.activities.all()].filter((activity) => concerns(known, activity));
      const settling = all.filter((activity) => isToBeSettled(known, activity));
      const isSettling = new Set(settling);
      const telling = all.filter(
        (activity) => !isSettling.has(activity) && (activity.phase === 'open' || isToBeTold(known, activity)),
      );
      return { settling: byHeight(known, settling), telling };
    },
  };
};
