/** Does the work again and again, never while it is still being done, and without keeping the process alive for it. */
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
    /** 0: not at all. */
    every: (ms: number) => {
      clearInterval(timer);
      timer = ms > 0 ? setInterval(() => void tick(), ms).unref() : undefined;
    },
  };
};
