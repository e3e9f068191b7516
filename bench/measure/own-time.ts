import { openSync, readSync } from 'node:fs';

const open = () => {
  try {
    return openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return null;
  }
};
const file = open();
const bytes = Buffer.alloc(64);

/** Returns the total milliseconds that this thread waited for a core; 0 when the system does not report it. */
const waitedMs = (): number => {
  if (file === null) return 0;
  const length = readSync(file, bytes, 0, bytes.length, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / 1e6;
};

/** Returns a time in milliseconds that excludes the time when other processes used the cores. */
export const ownNow = (): number => performance.now() - waitedMs();
