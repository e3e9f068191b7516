/** Lets one consumer sleep until a producer rings. */
export const createDoorbell = () => {
  let wake = () => {};
  return {
    ring: () => wake(),
    /** Resolves to false at once if `isThere()`, on a ring, or when the signal fires; to true after `ms` without a ring. */
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
