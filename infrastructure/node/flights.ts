/** One question on its way, and how many wait for its answer. */
type Flight<T> = {
  readonly answer: Promise<T>;
  readonly startedAt: number;
  readonly controller: AbortController;
  waiting: number;
};

const wait = async <T>(flight: Flight<T>, signal: AbortSignal | undefined): Promise<T> => {
  flight.waiting++;
  if (!signal) return await flight.answer;
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => {
      flight.waiting--;
      if (flight.waiting === 0) flight.controller.abort();
      reject(new Error('nobody waits for the answer'));
    };
  });
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave);
  try {
    return await Promise.race([flight.answer, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
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
    join: (key: string, signal: AbortSignal | undefined): Promise<T> => wait(flights.get(key) as Flight<T>, signal),
    start: (key: string, ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
      const controller = new AbortController();
      const answer = ask(controller.signal);
      const flight: Flight<T> = { answer, startedAt: performance.now(), controller, waiting: 0 };
      flights.set(key, flight);
      const land = () => {
        if (flights.get(key) === flight) flights.delete(key);
      };
      answer.then(land, land);
      // Nobody may join what is being let go of.
      controller.signal.addEventListener('abort', land);
      return wait(flight, signal);
    },
  };
};
