import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Returns an identifier of the scope in which process ids are unique. On Linux this is the PID namespace of one boot,
 * because containers may share a host name, and each of them has a process 1.
 */
const spaceOfIds = () => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
};
const space = spaceOfIds();

export const processId = `${space}/${process.pid}`;

const isRunning = (pid: number) => {
  try {
    // Signal 0 checks only whether the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

/** Returns whether a process with the given `processId` ran on this machine and has ended; false for other machines. */
export const hasEnded = (id: string): boolean => {
  const end = id.lastIndexOf('/');
  const pid = Number(id.slice(end + 1));
  return id.slice(0, end) === space && Number.isSafeInteger(pid) && pid > 0 && !isRunning(pid);
};
