/** Bounds and default of CHAINFOLD_REQUEST_TIMEOUT_MS. */
export const requestTimeoutBounds = { min: 1000, max: 60_000 };
export const defaultRequestTimeoutMs = 10_000;

/**
 * Fractions of the request timeout. Each wait ends before the one that encloses it, so that the caller receives the
 * reason of a failure instead of a closed connection.
 */
const shares = {
  /** All attempts of a call to a store, counted from the last answer of this store to the request. */
  deadlineMs: 0.9,
  /** Wait for the lock of another process on an embedded store. A write that times out here has changed nothing. */
  lockMs: 0.8,
  /** Search for a server that accepts writes, for example during a failover. */
  serverMs: 0.6,
  /** Wait for read models that a command needs. */
  catchUpMs: 0.5,
  connectMs: 0.3,
  /** Wait for links that the event server writes asynchronously. Without them, all events are read instead. */
  linksMs: 0.3,
  /** Wait for an outcome that is decided, but that a lagging node does not show yet. */
  decidedMs: 0.2,
  /** First attempt of a call. Each further attempt gets twice the time of the one before. */
  timeoutMs: 0.15,
  /** Shortest attempt, granted even when less time is left. */
  minTimeoutMs: 0.1,
  /** Age of an undecided reservation after which its command counts as dead. */
  outcomeMs: 0.1,
  /** Pause before another attempt. */
  pauseMs: 0.01,
  /** Timeout of abandoned calls, which no request waits for. */
  abandonedMs: 2,
};

/** Limits in milliseconds for the parts of a request. */
export type Deadlines = Readonly<Record<keyof typeof shares, number>>;

/** Derives all deadlines from the timeout of a whole request. */
export const deadlinesWithin = (requestTimeoutMs: number): Deadlines =>
  Object.fromEntries(
    Object.entries(shares).map(([name, share]) => [name, Math.round(requestTimeoutMs * share)]),
  ) as Deadlines;

export const defaultDeadlines = deadlinesWithin(defaultRequestTimeoutMs);
