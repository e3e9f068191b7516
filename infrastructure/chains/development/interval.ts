/**
 * Creates a timer that repeats work at an interval, without overlapping runs and without keeping the process alive.
 */
export const createInterval = (work: () => Promise<unknown>, failed: (error: unknown) => void) => {
  let timer: NodeJS.Timeout | undefined;
  let busy = false;
  const tick = async () => {
    if (busy) return;
    busy = true;
    await work().catch(failed);
    busy = false;
  };
  return {
    /** Sets the interval; 0 stops the repetition. */
    every: (ms: number) => {
      clearInterval(timer);
      timer = ms > 0 ? setInterval(() => void tick(), ms).unref() : undefined;
    },
  };
};
