/**
 * Connection of one process to a simulated store. The store changes at one moment between call and answer, so a call of
 * a killed process either changed the store or did not.
 */
export type Gate = {
  /** Runs the effect at its moment, and answers later. */
  call<T>(name: string, effect: () => T): Promise<T>;
  /** Returns the time of the store, in Unix ms. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};
