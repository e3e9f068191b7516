import { createWaiter, type Waiter } from '../../application/async/cancellation.js';

/** One question on its way, and how many wait for its answer. */
type Flight<T> = {
  readonly answer: Promise<T>;
  readonly startedAt: number;
  readonly waiter: ReturnType<typeof createWaiter>;
  waiting: number;
};

const wait = <T>(flight: Flight<T>, waiter: Waiter | undefined): Promise<T> => {
  flight.waiting++;
  if (!waiter) return flight.answer;
  return new Promise((resolve, reject) => {
    const stay = waiter.onLeave(() => {
      flight.waiting--;
      if (flight.waiting === 0) flight.waiter.leave();
      reject(new Error('nobody waits for the answer'));
    });
    flight.answer.then(
      (answer) => {
        stay();
        resolve(answer);
      },
      (error: unknown) => {
        stay();
        reject(error as Error);
      },
    );
  });
};

/** Identical questions become one; it is let go of when nobody waits for it any more. */
export const createFlights = <T>() => {
  const flights = new Map<string, Flight<T>>();
  return {
    /** Whether one is on its way that did not start longer ago. */
    has: (key: string, longestMs: number): boolean => {
      const flight = flights.get(key);
      return flight !== undefined && performance.now() - flight.startedAt <= longestMs;
    },
    join: (key: string, waiter: Waiter | undefined): Promise<T> => wait(flights.get(key) as Flight<T>, waiter),
    start: (key: string, ask: (waiter: Waiter) => Promise<T>, waiter: Waiter | undefined): Promise<T> => {
      const own = createWaiter();
      const answer = ask(own);
      const flight: Flight<T> = { answer, startedAt: performance.now(), waiter: own, waiting: 0 };
      flights.set(key, flight);
      const land = () => {
        if (flights.get(key) === flight) flights.delete(key);
      };
      answer.then(land, land);
      // Nobody may join what is being let go of.
      own.onLeave(land);
      return wait(flight, waiter);
    },
  };
};
