import { setImmediate as turn } from 'node:timers/promises';
import { createRandom, type Random } from '../support/random.js';

type Task = { readonly at: number; readonly run: () => void };

/**
 * Tasks sorted by time, latest first, so that the next one is taken from the end. Few tasks wait at a time, so
 * insertion into an array is fast enough.
 */
const createAgenda = () => {
  const tasks: Task[] = [];
  return {
    add: (task: Task) => {
      let [low, high] = [0, tasks.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((tasks[middle] as Task).at > task.at) low = middle + 1;
        else high = middle;
      }
      tasks.splice(low, 0, task);
    },
    next: (): Task | undefined => tasks.at(-1),
    take: (): Task | undefined => tasks.pop(),
  };
};

/** Simulated time at which every world starts, in Unix ms: midnight of a Monday, so that traces are easy to read. */
const startOfTime = Date.UTC(2030, 0, 7);

/**
 * Simulated world with its own time. Time jumps to the next scheduled task once all promises have settled. All random
 * choices come from one seed, so the same seed gives the same history.
 */
export const createWorld = (seed: number) => {
  const agenda = createAgenda();
  const lots: Random = createRandom(seed, 'order');
  let now = startOfTime;
  let steps = 0;
  const lines: string[] = [];

  // Times are whole milliseconds. A random fraction orders tasks of the same millisecond.
  const at = (moment: number, run: () => void) =>
    agenda.add({ at: Math.max(now, Math.ceil(moment)) + lots.next(), run });
  const wait = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted) return resolve();
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        signal?.removeEventListener('abort', cut);
        resolve();
      };
      const cut = () => at(now, end);
      signal?.addEventListener('abort', cut, { once: true });
      at(now + ms, end);
    });

  return {
    seed,
    /** Returns a separate random generator, so that the draws of one part do not change those of another. */
    luck: (name: string): Random => createRandom(seed, name),
    now: () => now,
    steps: () => steps,
    at,
    wait,
    /** Adds a line to the trace. */
    note: (text: string) => {
      lines.push(`${new Date(now).toISOString().slice(5, 23)} ${text}`);
    },
    trace: (): readonly string[] => lines,
    /**
     * Lets simulated time pass until `isEnough` returns true, but at most `ms`. Returns whether `isEnough` returned
     * true.
     */
    pass: async (ms: number, isEnough: () => boolean = () => false): Promise<boolean> => {
      const end = now + ms;
      // Each turn of the event loop lets all pending promises settle before the next task runs.
      for (await turn(); !isEnough(); await turn()) {
        const next = agenda.next();
        if (!next || Math.floor(next.at) > end) {
          now = end;
          return isEnough();
        }
        agenda.take();
        now = Math.max(now, Math.floor(next.at));
        steps++;
        next.run();
      }
      return true;
    },
  };
};

export type World = ReturnType<typeof createWorld>;
