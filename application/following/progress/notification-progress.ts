import type { Ledger } from '../../../domain/aggregates/ledger.js';
import { allSettledOrThrow } from '../../async/turns/organization-queue.js';
import { type Activity, holderKey } from '../../watch-list/activities.js';
import type { Listener } from '../../watch-list/webhook-listeners.js';

type Seen = Ledger['transfers'][number];

/** Maximum number of deliveries of one activity that are requested in one piece. */
const atOnce = 32;

const activityKey = (activity: Activity) => `${activity.block.hash} ${holderKey(activity)}`;

/**
 * Progress of notifying webhooks of the `count` transfers of one activity. `webhooks` contains the finished webhooks;
 * `begun` contains the number of finished transfers by unfinished webhook. The progress is kept by webhook, because
 * webhooks may be removed or change their order between two pieces. `isNotified` is true once a webhook was notified.
 */
type Progress = {
  readonly count: number;
  readonly webhooks: Set<string>;
  readonly begun: Map<string, number>;
  isNotified: boolean;
};

/**
 * Calls `one` for each unfinished listener with its next transfers, at most `atOnce` transfers in all. Returns whether
 * any listener has transfers left.
 */
export const runPiece = async (
  listeners: readonly Listener[],
  transfers: readonly Seen[],
  progress: Progress,
  one: (listener: Listener, some: readonly Seen[]) => Promise<boolean>,
) => {
  let left = atOnce;
  const doing: Promise<boolean>[] = [];
  for (const listener of listeners) {
    if (progress.webhooks.has(listener.webhookId)) continue;
    if (left <= 0) break;
    const { webhookId } = listener;
    const finished = progress.begun.get(webhookId) ?? 0;
    const some = transfers.slice(finished, finished + left);
    doing.push(one(listener, some));
    left -= Math.max(1, some.length);
    progress.begun.set(webhookId, finished + some.length);
    if (finished + some.length < transfers.length) break;
    progress.webhooks.add(webhookId);
    progress.begun.delete(webhookId);
  }
  const notified = await allSettledOrThrow(doing);
  progress.isNotified ||= notified.includes(true);
  return listeners.some(({ webhookId }) => !progress.webhooks.has(webhookId));
};

/**
 * Creates a tracker of the notifications that were requested for each activity. The progress is kept in memory only:
 * after a restart, some deliveries are requested twice, which is harmless.
 */
export const createProgress = () => {
  const kept = new Map<string, Progress>();
  /** Returns the progress of an activity; starts over when the activity got more transfers. */
  const of = (activity: Activity, count: number) => {
    const key = activityKey(activity);
    const known = kept.get(key);
    if (known?.count === count) return known;
    const fresh: Progress = { count, webhooks: new Set(), begun: new Map(), isNotified: false };
    kept.set(key, fresh);
    return fresh;
  };
  const forget = (activity: Activity) => kept.delete(activityKey(activity));
  return {
    forget,
    isNotified: (activity: Activity) => kept.get(activityKey(activity))?.isNotified ?? false,
    /**
     * Runs a piece. Discards the progress when the piece fails, because some deliveries may not have been requested.
     */
    during: (activity: Activity, count: number, piece: (progress: Progress) => Promise<boolean>) =>
      piece(of(activity, count)).catch((error: unknown) => {
        forget(activity);
        throw error;
      }),
  };
};
