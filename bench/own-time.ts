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

/** Returns the total time this thread waited for a core in ms; 0 where the system does not tell. */
const waitedMs = (): number => {
  if (file === null) return 0;
  const length = readSync(file, bytes, 0, bytes.length, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / 1e6;
};

/** Reads a clock of the main thread that stands still while other processes have the cores. */
export const ownNow = (): number => performance.now() - waitedMs();
