import { type Cancellation, createCancellation } from './cancellation.js';
import { createHighChurnMap } from './high-churn.js';

type Caller<T> = {
  /** Cancellation of the caller; undefined if the caller cannot cancel, or has already cancelled. */
  cancellation: Cancellation | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
  stopListening: (() => void) | undefined;
};

/** Work in flight and the callers that wait for its result. */
type Flight<T> = {
  readonly startedAt: number;
  readonly cancellation: ReturnType<typeof createCancellation>;
  callers: Caller<T>[];
  waiting: number;
};

/** Settles all callers of a flight and removes the callers from the flight. */
const settleAll = <T>(flight: Flight<T>, settle: (caller: Caller<T>) => void) => {
  const { callers } = flight;
  flight.callers = [];
  for (const caller of callers) {
    caller.stopListening?.();
    settle(caller);
  }
};

const cancelCaller = <T>(flight: Flight<T>, caller: Caller<T>, rejectCancelled: boolean) => {
  const place = flight.callers.indexOf(caller);
  if (place < 0) return;
  caller.cancellation = undefined;
  if (rejectCancelled) {
    flight.callers.splice(place, 1);
    caller.reject(new Error('Client disconnected.'));
  }
  flight.waiting--;
  if (flight.waiting === 0) flight.cancellation.cancel();
};

const wait = <T>(flight: Flight<T>, cancellation: Cancellation | undefined, rejectCancelled: boolean): Promise<T> =>
  new Promise((resolve, reject) => {
    const caller: Caller<T> = { cancellation, resolve, reject, stopListening: undefined };
    flight.callers.push(caller);
    flight.waiting++;
    caller.stopListening = cancellation?.onCancel(() => cancelCaller(flight, caller, rejectCancelled));
  });

/**
 * Shares one piece of work among all callers with the same key and cancels the work when the last caller has cancelled.
 * `now` is needed only if callers pass `maxMs`. A caller that cancels still receives the result, unless
 * `rejectCancelled` is true: then its promise rejects at once.
 */
export const createSingleFlight = <T>(now: () => number = () => 0, { rejectCancelled = false } = {}) => {
  const flights = createHighChurnMap<Flight<T>>();
  const find = (key: string, maxMs: number) => {
    const flight = flights.get(key);
    return flight && now() - flight.startedAt <= maxMs ? flight : undefined;
  };
  const start = (key: string, work: (cancellation: Cancellation) => Promise<T>) => {
    const cancellation = createCancellation((arrival) => {
      for (const one of flight.callers) one.cancellation?.receive?.(arrival);
    });
    const flight: Flight<T> = { startedAt: now(), cancellation, callers: [], waiting: 0 };
    const finish = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flights.set(key, flight);
    // New callers must not join work that is being cancelled.
    cancellation.onCancel(finish);
    work(cancellation).then(
      (value) => {
        finish();
        settleAll(flight, ({ resolve }) => resolve(value));
      },
      (error: unknown) => {
        finish();
        settleAll(flight, ({ reject }) => reject(error));
      },
    );
    return flight;
  };
  return {
    /** Returns true when work that started at most `maxMs` ago is in flight. */
    has: (key: string, maxMs: number): boolean => find(key, maxMs) !== undefined,
    /** Joins work that started at most `maxMs` ago, or starts new work. */
    run: (
      key: string,
      cancellation: Cancellation | undefined,
      work: (cancellation: Cancellation) => Promise<T>,
      maxMs = Number.POSITIVE_INFINITY,
    ): Promise<T> => wait(find(key, maxMs) ?? start(key, work), cancellation, rejectCancelled),
  };
};
