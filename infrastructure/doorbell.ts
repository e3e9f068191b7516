/** Lets one consumer sleep until something is there for it. */
export const createDoorbell = () => {
  let wake = () => {};
  return {
    ring: () => wake(),
    /** Returns at once if something `isThere` already; resolves true when nobody rang for so long. */
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
