/**
 * Connection of one process to a simulated store. The store changes at one moment between call and answer, so a call
 * from a killed process has either changed the store completely or not at all.
 */
export type Gate = {
  /**
   * Runs `effect` at one moment between call and answer. Resolves with the result when the answer arrives, or rejects
   * if a fault was injected.
   */
  call<T>(name: string, effect: () => T): Promise<T>;
  /** Returns the time of the store, in Unix ms. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};
