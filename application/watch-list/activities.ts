import type { UnsettledDocument } from '../../projections/unsettled.js';
import { createPriorityQueue } from '../async/priority-queue.js';

export type Holder = { readonly organizationId: string; readonly walletId: string };
export const holderKey = ({ organizationId, walletId }: Holder) => `${organizationId}/${walletId}`;

export type BlockRef = UnsettledDocument['block'];
type Phase = 'pending' | 'open' | 'settled' | 'due';
/**
 * Changes of one block to one wallet. pending: not confirmed yet; open: webhooks are still to be notified;
 * settled: confirmed and notified; due: the block was replaced, and balances or notifications must be corrected.
 * unread: the balances that a confirmed block may have changed are still to be read.
 */
export type Activity = Holder & { readonly block: BlockRef; readonly phase: Phase; readonly unread?: true };

const isFinished = ({ phase, unread }: Activity) => phase === 'settled' && !unread;

/** Index of the activities that are unfinished or whose blocks may still be replaced. */
export const createActivities = () => {
  const blocks = new Map<string, Map<string, Activity>>();
  const unfinished = new Map<string, Set<Activity>>();
  const changed = new Set<Activity>();
  const byHeight = createPriorityQueue<string>();
  let final = -1;

  const current = ({ block, ...holder }: Pick<Activity, 'block'> & Holder) =>
    blocks.get(block.hash)?.get(holderKey(holder));
  const discard = (activity: Activity | undefined) => {
    if (!activity) return;
    changed.delete(activity);
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
    changed.add(activity);
  };
  const all = function* () {
    for (const own of blocks.values()) yield* own.values();
  };

  return {
    all,
    in: (blockHash: string): readonly Activity[] => [...(blocks.get(blockHash)?.values() ?? [])],
    /** Returns the activity after the last event; undefined once it was dropped. */
    current,
    /** Returns the unfinished activities that changed since the last call. */
    takeChanged: (): readonly Activity[] => {
      const taken = [...changed];
      changed.clear();
      return taken;
    },
    /** Marks the organization's unfinished activities as changed, after a change of its webhooks or thresholds. */
    reconsider: (organizationId: string) => {
      for (const activity of unfinished.get(organizationId) ?? []) changed.add(activity);
    },
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
    /** Drops finished activities up to a final height, and those that finish later. */
    forgetSettled: (height: number) => {
      final = Math.max(final, height);
      for (const hash of byHeight.takeUpTo(height))
        for (const activity of [...(blocks.get(hash)?.values() ?? [])]) if (isFinished(activity)) forget(activity);
    },
  };
};
