/**
 * Work that a process measures for its metrics, in seconds, with the labels of each measurement. Label values come from
 * fixed tables and never name an organization, so that the number of time series is bounded.
 */
export type Measurements = {
  /** Time to append events, until they are stored durably or rejected. */
  readonly append: { readonly outcome: 'stored' | 'conflict' | 'failed' };
  /** Time from the commit of an event until the read models include it. */
  readonly projection: Record<never, never>;
  /** Time until the receiver of a webhook answered, or until the attempt was given up. */
  readonly delivery: {
    readonly outcome: 'completed' | 'retrying' | 'failed';
    /** Class of the HTTP status; `none` if there was no response. */
    readonly status: `${number}xx` | 'none';
  };
  /** Age of a block when its transfers to a wallet are confirmed. */
  readonly settlement: { readonly chain: string };
  /** Age of the oldest event that no seal covers; 0 if there is none. */
  readonly unsealed: Record<never, never>;
};

export type Measure = <Name extends keyof Measurements>(
  name: Name,
  seconds: number,
  labels: Measurements[Name],
) => void;

/**
 * Creates `measure`, which passes the measurements of a process to its listeners: the metrics of its HTTP servers.
 */
export const createMeasurements = () => {
  const listeners: Measure[] = [];
  const measure: Measure = (name, seconds, labels) => {
    for (const listener of listeners) listener(name, Math.max(0, seconds), labels);
  };
  return { measure, listen: (listener: Measure) => void listeners.push(listener) };
};
