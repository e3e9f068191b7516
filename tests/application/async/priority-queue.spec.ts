import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createPriorityQueue } from '../../../application/async/priority-queue.js';

describe('a priority queue', () => {
  it('returns the items up to a priority, each once and in order, and keeps the others', () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 })),
        fc.integer({ min: -60, max: 60 }),
        (priorities, most) => {
          const queue = createPriorityQueue<number>();
          for (const priority of priorities) queue.push(priority, priority);
          const inOrder = priorities.toSorted((a, b) => a - b);
          assert.deepEqual(
            queue.takeUpTo(most),
            inOrder.filter((one) => one <= most),
          );
          assert.deepEqual(
            queue.takeUpTo(100),
            inOrder.filter((one) => one > most),
          );
          assert.deepEqual(queue.takeUpTo(100), []);
        },
      ),
    ));

  it('is empty after it was cleared', () => {
    const queue = createPriorityQueue<string>();
    queue.push(1, 'a');
    queue.clear();
    assert.deepEqual(queue.takeUpTo(2), []);
  });
});
