import { setImmediate as turn } from 'node:timers/promises';
import { createRandom, type Random } from '../support/random.js';

type Task = { readonly at: number; readonly run: () => void };

/** Tasks by time, latest first, so that the next one is taken from the end. An agenda is short: a list is fast enough. */
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

/** Start of every world: a Monday, so that traces are easy to read. */
const startOfTime = Date.UTC(2030, 0, 7);

/**
 * World with its own time. Nothing passes but what is on its agenda: time jumps to the next task once no promise is left
 * to settle. All its luck comes from one seed, so the same seed gives the same history.
 */
export const createWorld = (seed: number) => {
  const agenda = createAgenda();
  const lots: Random = createRandom(seed, 'order');
  let now = startOfTime;
  let steps = 0;
  const lines: string[] = [];

  // Moments are whole milliseconds; the fraction is the lot that orders tasks of the same moment.
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
    /** Returns a source of luck of its own, so that one part's draws do not change another's. */
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
    /** Lets time pass until the condition holds, and returns whether it held within `ms` of this world's time. */
    pass: async (ms: number, isEnough: () => boolean = () => false): Promise<boolean> => {
      const end = now + ms;
      // Promises settle before the turn of the event loop ends, and nothing else is waited for.
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
