import type { UnsettledDocument } from '../../projections/unsettled.js';
import { createPriorityQueue } from '../async/priority-queue.js';

export type Holder = { readonly organizationId: string; readonly walletId: string };
export const holderKey = ({ organizationId, walletId }: Holder) => `${organizationId}/${walletId}`;

export type BlockRef = UnsettledDocument['block'];
type Phase = 'pending' | 'open' | 'settled' | 'due';
/**
 * Changes that one block makes to one wallet. `pending`: not confirmed yet; `open`: webhooks are still to be notified;
 * `settled`: confirmed and notified; `due`: the block was replaced, and balances or notifications must be corrected.
 * `unread`: the balances that a confirmed block may have changed are still to be read.
 */
export type Activity = Holder & { readonly block: BlockRef; readonly phase: Phase; readonly unread?: true };

const isFinished = ({ phase, unread }: Activity) => phase === 'settled' && !unread;

/** Creates a set of the unfinished activities that changed. */
const createChanges = (unfinished: ReadonlyMap<string, ReadonlySet<Activity>>) => {
  const changed = new Set<Activity>();
  /**
   * Organizations of which all unfinished activities count as changed. The value iterates over the activities that are
   * not taken yet; null before the first activity is taken.
   */
  const reconsidered = new Map<string, Iterator<Activity> | null>();
  /**
   * Moves activities from `left` to `taken` until `taken` has `limit` activities. Returns whether `left` is exhausted.
   */
  const move = (left: Iterator<Activity>, taken: Activity[], limit: number) => {
    while (taken.length < limit) {
      const { done, value } = left.next();
      if (done) return true;
      taken.push(value);
    }
    return false;
  };
  return {
    add: (activity: Activity) => changed.add(activity),
    discard: (activity: Activity) => changed.delete(activity),
    clear: () => {
      changed.clear();
      reconsidered.clear();
    },
    /** Makes the organization's unfinished activities count as changed, after its webhooks or thresholds changed. */
    reconsider: (organizationId: string) => reconsidered.set(organizationId, null),
    /** Takes up to `limit` changed activities. Returns an empty list when all changed activities were taken. */
    take: (limit: number): readonly Activity[] => {
      const taken: Activity[] = [];
      move(changed.values(), taken, limit);
      for (const activity of taken) changed.delete(activity);
      for (const [organizationId, begun] of reconsidered) {
        const left = begun ?? unfinished.get(organizationId)?.values();
        if (!left || move(left, taken, limit)) reconsidered.delete(organizationId);
        else reconsidered.set(organizationId, left);
        if (taken.length >= limit) break;
      }
      return taken;
    },
  };
};

/** Index of the activities that are unfinished or whose blocks may still be replaced. */
export const createActivities = () => {
  const blocks = new Map<string, Map<string, Activity>>();
  const unfinished = new Map<string, Set<Activity>>();
  const changes = createChanges(unfinished);
  const byHeight = createPriorityQueue<string>();
  let final = -1;

  const current = ({ block, ...holder }: Pick<Activity, 'block'> & Holder) =>
    blocks.get(block.hash)?.get(holderKey(holder));
  const discard = (activity: Activity | undefined) => {
    if (!activity) return;
    changes.discard(activity);
    unfinished.get(activity.organizationId)?.delete(activity);
  };
  const forget = (activity: Pick<Activity, 'block'> & Holder) => {
    const own = blocks.get(activity.block.hash);
    discard(current(activity));
    own?.delete(holderKey(activity));
    if (own?.size === 0) blocks.delete(activity.block.hash);
  };
  const put = (activity: Activity) => {
    const { block, organizationId } = activity;
    if (isFinished(activity) && block.number <= final) return forget(activity);
    discard(current(activity));
    const own = blocks.get(block.hash) ?? new Map<string, Activity>();
    if (own.size === 0) byHeight.push(block.number, block.hash);
    blocks.set(block.hash, own.set(holderKey(activity), activity));
    if (isFinished(activity)) return;
    unfinished.set(organizationId, (unfinished.get(organizationId) ?? new Set<Activity>()).add(activity));
    changes.add(activity);
  };
  const all = function* () {
    for (const own of blocks.values()) yield* own.values();
  };

  return {
    all,
    in: (blockHash: string): readonly Activity[] => [...(blocks.get(blockHash)?.values() ?? [])],
    /** Returns the activity of a wallet in a block; undefined if there is none or the activity was dropped. */
    current,
    takeChanged: changes.take,
    forgetChanged: changes.clear,
    reconsider: changes.reconsider,
    set: (holder: Holder, block: BlockRef, phase: Phase, unread?: true) =>
      put({ ...holder, block, phase, ...(unread && { unread }) }),
    settle: (holder: Holder, block: BlockRef, phase: 'open' | 'settled', unread?: true) => {
      const before = current({ ...holder, block });
      if (before?.phase === 'due') return forget(before);
      return put({ ...holder, block, phase, ...(unread && { unread }) });
    },
    close: (holder: Holder, block: BlockRef) => {
      const before = current({ ...holder, block });
      if (before?.phase === 'due') return forget(before);
      return put({ ...holder, block, phase: 'settled', ...(before?.unread && { unread: true }) });
    },
    forget: (holder: Holder, block: BlockRef) => forget({ ...holder, block }),
    /**
     * Drops finished activities in blocks up to a final height. Activities in these blocks that finish later are
     * dropped too.
     */
    forgetSettled: (height: number) => {
      final = Math.max(final, height);
      for (const hash of byHeight.takeUpTo(height))
        for (const activity of [...(blocks.get(hash)?.values() ?? [])]) if (isFinished(activity)) forget(activity);
    },
  };
};
