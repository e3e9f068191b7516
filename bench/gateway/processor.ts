import { readFileSync } from 'node:fs';

const tickMs = 10;

/** Returns the CPU milliseconds (user and system) of a process's main thread; wall time when they are unavailable. */
export const processorMs = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return performance.now();
  }
};
