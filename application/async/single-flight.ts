import { type Cancellation, createCancellation } from './cancellation.js';
import { createPassingMap } from './passing.js';

type Caller<T> = {
  /** Absent for a caller who cannot leave, or has left. */
  cancellation: Cancellation | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
  stay: (() => void) | undefined;
};

/** Work that is under way, and the callers who wait for its result. */
type Flight<T> = {
  readonly startedAt: number;
  readonly cancellation: ReturnType<typeof createCancellation>;
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
  caller.cancellation = undefined;
  if (rejectLeavers) {
    flight.callers.splice(place, 1);
    caller.reject(new Error('nobody waits for the answer'));
  }
  flight.waiting--;
  if (flight.waiting === 0) flight.cancellation.cancel();
};

const wait = <T>(flight: Flight<T>, cancellation: Cancellation | undefined, rejectLeavers: boolean): Promise<T> =>
  new Promise((resolve, reject) => {
    const caller: Caller<T> = { cancellation, resolve, reject, stay: undefined };
    flight.callers.push(caller);
    flight.waiting++;
    caller.stay = cancellation?.onCancel(() => leave(flight, caller, rejectLeavers));
  });

/**
 * Shares one piece of work among all callers with the same key, and cancels the work when the last of them has left.
 * A clock is needed only where work that started long ago must not be shared. A caller who leaves gets the result all
 * the same, or with `rejectLeavers` a rejection at once.
 */
export const createSingleFlight = <T>(now: () => number = () => 0, { rejectLeavers = false } = {}) => {
  const flights = createPassingMap<Flight<T>>();
  const find = (key: string, maxMs: number) => {
    const flight = flights.get(key);
    return flight && now() - flight.startedAt <= maxMs ? flight : undefined;
  };
  const start = (key: string, work: (cancellation: Cancellation) => Promise<T>) => {
    const cancellation = createCancellation((arrival) => {
      for (const one of flight.callers) one.cancellation?.receive?.(arrival);
    });
    const flight: Flight<T> = { startedAt: now(), cancellation, callers: [], waiting: 0 };
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flights.set(key, flight);
    // Work that is being cancelled must not be joined.
    cancellation.onCancel(land);
    work(cancellation).then(
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
    /** Tells whether work is under way that started at most `maxMs` ago. */
    has: (key: string, maxMs: number): boolean => find(key, maxMs) !== undefined,
    /** Joins work that started at most `maxMs` ago, or starts it. */
    run: (
      key: string,
      cancellation: Cancellation | undefined,
      work: (cancellation: Cancellation) => Promise<T>,
      maxMs = Number.POSITIVE_INFINITY,
    ): Promise<T> => wait(find(key, maxMs) ?? start(key, work), cancellation, rejectLeavers),
  };
};
