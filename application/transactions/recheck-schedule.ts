import { createPriorityQueue } from '../async/priority-queue.js';
import { roundRobin } from '../async/turns/round-robin.js';
import type { DocumentKey } from '../ports/read-models.js';
import { keyText } from './open-changes.js';

/** Transaction to check again at a time, Unix ms. */
type Recheck = { readonly organizationId: string; readonly key: DocumentKey; readonly at: number };

const firstOf = function* <T>(items: Iterable<T>, count: number) {
  let taken = 0;
  for (const item of items) {
    if (taken++ === count) return;
    yield item;
  }
};

/**
 * Creates a schedule with one time for each transaction. A transaction is visited when it is scheduled, when it becomes
 * due and when it is taken, however many others wait or are due.
 */
export const createRecheckSchedule = () => {
  const current = new Map<string, Recheck>();
  /** Rechecks that are not due yet, and rechecks that were replaced. */
  const later = createPriorityQueue<Recheck>();
  /** Due rechecks by organization. */
  const due = new Map<string, Set<Recheck>>();

  const isDue = (one: Recheck) => {
    const own = due.get(one.organizationId) ?? new Set();
    due.set(one.organizationId, own.add(one));
  };
  const remove = (key: DocumentKey) => {
    const one = current.get(keyText(key));
    current.delete(keyText(key));
    const own = one && due.get(one.organizationId);
    if (one && own?.delete(one) && own.size === 0) due.delete(one.organizationId);
  };
  return {
    set: (one: Recheck) => {
      remove(one.key);
      current.set(keyText(one.key), one);
      later.push(one.at, one);
    },
    remove,
    clear: () => {
      for (const part of [current, later, due]) part.clear();
    },
    /** Removes and returns at most `max` transactions that are due, alternating between organizations. */
    takeDue: (now: number, max: number): readonly Recheck[] => {
      for (const one of later.takeUpTo(now)) if (current.get(keyText(one.key)) === one) isDue(one);
      const first = [...due.values()].flatMap((own) => [...firstOf(own, max)]);
      const taken = roundRobin(first, ({ organizationId }) => organizationId).slice(0, max);
      for (const { key } of taken) remove(key);
      return taken;
    },
  };
};
