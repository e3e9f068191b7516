/** Bounds and default of CHAINFOLD_REQUEST_TIMEOUT_MS. */
export const requestTimeoutBounds = { min: 1000, max: 60_000 };
export const defaultRequestTimeoutMs = 10_000;

/**
 * Fractions of the request timeout. Each wait ends before the one that encloses it, so that the caller receives the
 * reason for a failure instead of a closed connection.
 */
const shares = {
  /**
   * Time limit for all attempts of one call to a store together. Any answer from the store to a call of the same
   * request restarts this time.
   */
  deadlineMs: 0.9,
  /** Wait for the lock of another process on an embedded store. A write that times out here has changed nothing. */
  lockMs: 0.8,
  /** Search for a server that accepts writes, for example during a failover. */
  serverMs: 0.6,
  /** Wait until the read models that a command needs have caught up. */
  catchUpMs: 0.5,
  connectMs: 0.3,
  /**
   * Wait for the category links that the event server writes asynchronously. If links are still missing then, all
   * events are read instead of those of one organization.
   */
  linksMs: 0.3,
  /**
   * Wait for the outcome of a commit that is already decided, but that a lagging node of the event server does not
   * return yet.
   */
  decidedMs: 0.2,
  /** Timeout of the first attempt of a call. Each further attempt gets twice the time of the previous one. */
  timeoutMs: 0.15,
  /** Minimum time of an attempt, granted even if less time is left until the deadline. */
  minTimeoutMs: 0.1,
  /** Wait for the outcome of a reservation, after which the reader aborts the command that made the reservation. */
  outcomeMs: 0.1,
  /** Pause between two attempts of a call. */
  pauseMs: 0.01,
  /** Time after which the client library ends a call. The caller has given up long before. */
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
