/**
 * Way of one process to a simulated store. The store changes at one moment between call and answer, so a caller that dies
 * on the way has either changed it or not.
 */
export type Gate = {
  /** Runs the effect at its moment, and answers later. */
  call<T>(name: string, effect: () => T): Promise<T>;
  /** Returns the time of the store, in Unix ms. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};
