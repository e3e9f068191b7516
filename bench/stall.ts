import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;

/** Watches for how long at most nothing else could run. On a busy machine some of it is other processes' doing. */
export const watchStalls = () => {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  return {
    /** In ms: the worst, and how long the worst one of a thousand was. */
    stop: () => {
      delays.disable();
      const inMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs);
      return { worst: inMs(delays.max), p999: inMs(delays.percentile(99.9)) };
    },
  };
};
