/** Creates a wake-up signal for one consumer: `wait` resolves when a producer calls `ring`. */
export const createDoorbell = () => {
  let wake = () => {};
  return {
    ring: () => wake(),
    /**
     * Resolves to true after `ms` without a ring. Resolves to false on a ring, when `signal` aborts, or at once if
     * `isThere` returns true.
     */
    wait: (ms: number, signal: AbortSignal, isThere: () => boolean) =>
      new Promise<boolean>((resolve) => {
        const end = (timedOut: boolean) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve(timedOut);
        };
        const timer = setTimeout(end, ms, true);
        wake = () => end(false);
        signal.addEventListener('abort', wake);
        if (isThere() || signal.aborted) wake();
      }),
  };
};
