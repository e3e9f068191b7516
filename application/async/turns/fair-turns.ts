import { fail } from '../../../domain/failure.js';

export type FairTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

type Bounds = {
  /** Maximum number of tasks that run at the same time. */
  readonly maxConcurrent: number;
  /** Maximum number of running tasks with the same key. */
  readonly maxConcurrentPerKey: number;
  /**
   * Maximum number of waiting tasks with the same key. A task above the maximum is rejected with RATE_LIMITED.
   */
  readonly maxWaiting: number;
};

type Queue = { running: number; readonly waiting: (() => void)[] };

/**
 * Creates a function that runs tasks with bounded concurrency and schedules keys round-robin: a key that may start a
 * task waits for at most one task of every other key.
 */
export const createFairTurns = ({ maxConcurrent, maxConcurrentPerKey, maxWaiting }: Bounds): FairTurns => {
  const queues = new Map<string, Queue>();
  /** Keys whose first waiting task may start, in round-robin order. */
  const ready = new Set<string>();
  let running = 0;

  const enqueueTurn = (key: string, { running: own, waiting }: Queue) => {
    if (waiting.length > 0 && own < maxConcurrentPerKey) ready.add(key);
  };
  const startNext = () => {
    while (running < maxConcurrent) {
      const [key] = ready;
      const queue = key === undefined ? undefined : queues.get(key);
      if (key === undefined || !queue) return;
      ready.delete(key);
      const start = queue.waiting.shift();
      running++;
      queue.running++;
      enqueueTurn(key, queue);
      start?.();
    }
  };
  const end = (key: string, queue: Queue) => {
    running--;
    queue.running--;
    if (queue.running === 0 && queue.waiting.length === 0) queues.delete(key);
    else enqueueTurn(key, queue);
    startNext();
  };
  const wait = async (key: string, queue: Queue) => {
    if (queue.waiting.length >= maxWaiting)
      fail(
        'RATE_LIMITED',
        `Too many requests: ${maxWaiting} requests of this organization are already waiting. Retry later.`,
      );
    return new Promise<void>((start) => {
      queues.set(key, queue);
      queue.waiting.push(start);
      enqueueTurn(key, queue);
    });
  };

  const run = async <T>(key: string, queue: Queue, work: () => Promise<T>) => {
    try {
      return await work();
    } finally {
      end(key, queue);
    }
  };

  return (key, work) => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    if (running >= maxConcurrent || queue.running >= maxConcurrentPerKey)
      return wait(key, queue).then(() => run(key, queue, work));
    if (queue.running === 0) queues.set(key, queue);
    running++;
    queue.running++;
    return run(key, queue, work);
  };
};
