import { setMaxListeners } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import timers, { setImmediate as turn } from 'node:timers/promises';

type Timer = { readonly at: number; readonly order: number; readonly fire: () => void };

/** Number of turns of the event loop after which all work that waits for no timer is done. */
const turns = 2;
/** Turns of the event loop for each step of `flow`: enough for an answer of a server in this process. */
const flow = { turns: 20, stepMs: 10 };

/** Replaces timers and the monotonic clock of this process with ones that a test advances, until `stop` is called. */
export const startVirtualClock = () => {
  const real = { setTimeout, clearTimeout, sleep: timers.setTimeout };
  const waiting = new Set<Timer>();
  let now = 1_000_000;
  let order = 0;

  const later = (fire: () => void, ms: number): Timer => {
    const timer = { at: now + Math.max(1, ms || 0), order: order++, fire, unref: () => timer, ref: () => timer };
    waiting.add(timer);
    return timer;
  };
  const sleep = (ms: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const stop = () => {
        waiting.delete(timer);
        reject(signal?.reason as Error);
      };
      const timer = later(() => {
        signal?.removeEventListener('abort', stop);
        resolve(value);
      }, ms);
      // Node counts no listeners of its own timers, so any number of them may wait on one signal.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener('abort', stop, { once: true });
    });
  Object.assign(globalThis, { setTimeout: later, clearTimeout: (timer: Timer) => void waiting.delete(timer) });
  Object.defineProperty(performance, 'now', { value: () => now, configurable: true });
  Object.assign(timers, { setTimeout: sleep });
  syncBuiltinESMExports();

  const settle = async () => {
    for (let i = 0; i < turns; i++) await turn();
  };
  const nextAt = () => Math.min(...[...waiting].map(({ at }) => at));
  const fireDue = () => {
    const due = [...waiting].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at || a.order - b.order);
    for (const timer of due) if (waiting.delete(timer)) timer.fire();
  };
  const pass = async (maxMs: number, isEnough: () => boolean = () => false): Promise<boolean> => {
    const end = now + maxMs;
    for (await settle(); !isEnough(); await settle()) {
      const at = nextAt();
      if (at > end) {
        now = end;
        return isEnough();
      }
      now = at;
      fireDue();
    }
    return true;
  };
  return {
    now: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      sleep(ms, undefined, signal && { signal }).then(
        () => undefined,
        () => undefined,
      ),
    later,
    /**
     * Advances the clock until `isEnough` returns true, but by at most `maxMs`. Returns the last result of `isEnough`.
     */
    pass,
    /**
     * Advances the clock beside the caller until the returned function is called, in steps that leave time for the
     * answers of servers in this process.
     */
    flow: () => {
      let isOver = false;
      const flowing = (async () => {
        while (!isOver) {
          for (let i = 0; i < flow.turns; i++) await turn();
          await pass(flow.stepMs);
        }
      })();
      return async () => {
        isOver = true;
        await flowing;
      };
    },
    stop: () => {
      Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
      Reflect.deleteProperty(performance, 'now');
      Object.assign(timers, { setTimeout: real.sleep });
      syncBuiltinESMExports();
    },
  };
};

export type VirtualClock = ReturnType<typeof startVirtualClock>;
