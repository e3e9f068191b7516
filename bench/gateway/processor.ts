import { readFileSync } from 'node:fs';

const tickMs = 10;

/** For how long in all the main thread of a process has run, its own work and the system's for it; the time of day where that cannot be told. */
export const processorMs = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return performance.now();
  }
};
