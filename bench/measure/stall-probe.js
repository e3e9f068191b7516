// The benchmarks load this probe into the service to measure stalls of its main thread.
import { openSync, readSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const sampleIntervalMs = 1;
const bytes = Buffer.alloc(64);

/** Creates a clock that excludes the time when other processes used the cores. */
const createClock = () => {
  const file = openSync('/proc/thread-self/schedstat', 'r');
  return () => {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return performance.now() - Number(bytes.toString('latin1', 0, length).split(' ')[1]) / 1e6;
  };
};

if (isMainThread && process.env.STALL_FILE) {
  const now = createClock();
  let last = now();
  let longest = 0;
  setInterval(() => {
    const at = now();
    longest = Math.max(longest, at - last - sampleIntervalMs);
    last = at;
  }, sampleIntervalMs).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(process.env.STALL_FILE, `${longest}\n`);
    longest = 0;
  });
}
