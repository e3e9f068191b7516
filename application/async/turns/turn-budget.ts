import type { MaybePromise } from '../maybe-promise.js';

type Waiting = { readonly cost: number; readonly begin: () => void };

/**
 * Creates a budget that limits the cost of the work that may start with one key in one turn of the event loop. Work
 * beyond `maxCost` waits, in order, for later turns, so that other keys are served in between. The budgets of all keys
 * are renewed only after the budget of one key was used up, because a renewal in every turn would cost more than most
 * of the work.
 */
export const createTurnBudget = (maxCost: number, breathe: () => Promise<void>) => {
  const spent = new Map<string, number>();
  const queues = new Map<string, Waiting[]>();
  let isTurning = false;

  const spend = (key: string, cost: number) => {
    const before = spent.get(key) ?? 0;
    if (before >= maxCost) return false;
    spent.set(key, before + cost);
    return true;
  };
  const beginWaiting = (key: string, queue: Waiting[]) => {
    const wait = queue.findIndex(({ cost }) => !spend(key, cost));
    const begun = queue.splice(0, wait < 0 ? queue.length : wait);
    if (queue.length === 0) queues.delete(key);
    for (const { begin } of begun) begin();
  };
  const turn = async () => {
    isTurning = true;
    do {
      await breathe();
      spent.clear();
      for (const [key, queue] of queues) beginWaiting(key, queue);
    } while (queues.size > 0);
    isTurning = false;
  };

  /** Returns undefined when the work may start now, otherwise a promise that resolves when it may start. */
  return (key: string, cost: number): MaybePromise<void> => {
    const queue = queues.get(key);
    if (!queue && spend(key, cost)) return undefined;
    if (!isTurning) void turn();
    return new Promise((begin) => {
      if (queue) queue.push({ cost, begin });
      else queues.set(key, [{ cost, begin }]);
    });
  };
};
