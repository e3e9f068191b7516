/** Lets those who ask for the same wait for the same work, which ends early when the last of them is gone. */
export const createSingleFlight = <T>() => {
  type Flight = { readonly stop: AbortController; readonly result: Promise<T>; waiting: number };
  const flights = new Map<string, Flight>();
  const land = (key: string, flight: Flight) => {
    if (flights.get(key) === flight) flights.delete(key);
  };
  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight => {
    const stop = new AbortController();
    const flight: Flight = { stop, result: work(stop.signal), waiting: 0 };
    flights.set(key, flight);
    const landed = () => land(key, flight);
    flight.result.then(landed, landed);
    return flight;
  };
  return async (key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const flight = flights.get(key) ?? start(key, work);
    flight.waiting++;
    const leave = () => {
      flight.waiting--;
      if (flight.waiting > 0) return;
      land(key, flight);
      flight.stop.abort();
    };
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await flight.result;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };
};
