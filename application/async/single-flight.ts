import { createWaiter, type Waiter } from './cancellation.js';
import { createPassingMap } from './passing.js';

type Caller<T> = {
  /** Absent for a caller who cannot leave, or has left. */
  waiter: Waiter | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
  stay: (() => void) | undefined;
};

/** Work that is under way, and the callers who wait for its result. */
type Flight<T> = {
  readonly startedAt: number;
  readonly waiter: ReturnType<typeof createWaiter>;
  callers: Caller<T>[];
  waiting: number;
};

/** Settles all callers of a flight, which lets go of them. */
const settleAll = <T>(flight: Flight<T>, settle: (caller: Caller<T>) => void) => {
  const { callers } = flight;
  flight.callers = [];
  for (const caller of callers) {
    caller.stay?.();
    settle(caller);
  }
};

const leave = <T>(flight: Flight<T>, caller: Caller<T>, rejectLeavers: boolean) => {
  const place = flight.callers.indexOf(caller);
  if (place < 0) return;
  caller.waiter = undefined;
  if (rejectLeavers) {
    flight.callers.splice(place, 1);
    caller.reject(new Error('nobody waits for the answer'));
  }
  flight.waiting--;
  if (flight.waiting === 0) flight.waiter.leave();
};

const wait = <T>(flight: Flight<T>, waiter: Waiter | undefined, rejectLeavers: boolean): Promise<T> =>
  new Promise((resolve, reject) => {
    const caller: Caller<T> = { waiter, resolve, reject, stay: undefined };
    flight.callers.push(caller);
    flight.waiting++;
    caller.stay = waiter?.onLeave(() => leave(flight, caller, rejectLeavers));
  });

/**
 * Shares one piece of work among all callers with the same key, and cancels the work when the last of them has left.
 * A clock is needed only where work that started long ago must not be shared. A caller who leaves gets the result all
 * the same, or with `rejectLeavers` a rejection at once.
 */
export const createSingleFlight = <T>(now: () => number = () => 0, { rejectLeavers = false } = {}) => {
  const flights = createPassingMap<Flight<T>>();
  const find = (key: string, longestMs: number) => {
    const flight = flights.get(key);
    return flight && now() - flight.startedAt <= longestMs ? flight : undefined;
  };
  const start = (key: string, work: (waiter: Waiter) => Promise<T>) => {
    const waiter = createWaiter((arrival) => {
      for (const one of flight.callers) one.waiter?.receive?.(arrival);
    });
    const flight: Flight<T> = { startedAt: now(), waiter, callers: [], waiting: 0 };
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flights.set(key, flight);
    // Work that is being cancelled must not be joined.
    waiter.onLeave(land);
    work(waiter).then(
      (value) => {
        land();
        settleAll(flight, ({ resolve }) => resolve(value));
      },
      (error: unknown) => {
        land();
        settleAll(flight, ({ reject }) => reject(error));
      },
    );
    return flight;
  };
  return {
    /** Tells whether work is under way that started at most `longestMs` ago. */
    has: (key: string, longestMs: number): boolean => find(key, longestMs) !== undefined,
    /** Joins work that started at most `longestMs` ago, or starts it. */
    run: (
      key: string,
      waiter: Waiter | undefined,
      work: (waiter: Waiter) => Promise<T>,
      longestMs = Number.POSITIVE_INFINITY,
    ): Promise<T> => wait(find(key, longestMs) ?? start(key, work), waiter, rejectLeavers),
  };
};
