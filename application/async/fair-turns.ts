import { fail } from '../../domain/failure.js';

export type FairTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

type Bounds = {
  /** Pieces of work that run at the same time. */
  readonly atOnce: number;
  /** Pieces of one key among them. */
  readonly ofOneKey: number;
  /** Pieces of one key that may wait; one more is refused. */
  readonly maxWaiting: number;
};

type Queue = { running: number; readonly waiting: (() => void)[] };

/**
 * Runs pieces of work, a bounded number at the same time. Keys with waiting work take turns, one piece each, so that a
 * piece waits for at most one piece of every other key before each of its own.
 */
export const createFairTurns = ({ atOnce, ofOneKey, maxWaiting }: Bounds): FairTurns => {
  const queues = new Map<string, Queue>();
  /** Keys whose first waiting piece may start, in the order of their turns. */
  const ready = new Set<string>();
  let running = 0;

  const enqueueTurn = (key: string, { running: own, waiting }: Queue) => {
    if (waiting.length > 0 && own < ofOneKey) ready.add(key);
  };
  const startNext = () => {
    while (running < atOnce) {
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
      fail('RATE_LIMITED', `more than ${maxWaiting} requests of the organization are waiting`);
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
    if (running >= atOnce || queue.running >= ofOneKey) return wait(key, queue).then(() => run(key, queue, work));
    if (queue.running === 0) queues.set(key, queue);
    running++;
    queue.running++;
    return run(key, queue, work);
  };
};
