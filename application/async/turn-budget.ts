import type { MaybePromise } from './maybe-promise.js';

type Waiting = { readonly cost: number; readonly begin: () => void };

/**
 * Lets the work of a key begin at once, up to `most` of cost; what is beyond waits for later turns of the event loop, in
 * order, so that the work of other keys comes in between. Budgets are renewed when one of them is used up, not in every
 * turn, because that would cost each turn more than most of the work does.
 */
export const createTurnBudget = (most: number, breathe: () => Promise<void>) => {
  const spent = new Map<string, number>();
  const queues = new Map<string, Waiting[]>();
  let isTurning = false;

  const spend = (key: string, cost: number) => {
    const before = spent.get(key) ?? 0;
    if (before >= most) return false;
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

  /** Returns nothing when the work may begin now, else a promise of its turn. */
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
