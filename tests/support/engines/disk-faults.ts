import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDirectory } from '../run/directories.js';

/**
 * Builds a library that makes disk calls fail on request, in processes that are started with the returned environment.
 * Returns null on systems other than Linux or without a C compiler.
 */
export const createDiskFaults = () => {
  const directory = freshDirectory();
  const [library, control, record] = ['faults.so', 'control', 'record'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const source = 'tests/support/engines/disk-faults.c';
  const built = process.platform === 'linux' && spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
  if (built === false || built.status !== 0) return null;
  writeFileSync(control, '');
  return { environment: { LD_PRELOAD: library, DISK_CONTROL: control, DISK_RECORD: record } };
};

/** Sets the next fault of the disk; '' ends every fault. */
export const setDiskFault = (
  wish: 'hold syncs' | `${'sync' | 'write'} ${number}` | `record ${string}` | '',
  control = process.env.DISK_CONTROL as string,
) => writeFileSync(control, wish);

/** Reads the calls recorded since `record` was set, in order: `w` for a write and `s` for a sync. */
export const recordedBy = (file: string) => (existsSync(file) ? readFileSync(file, 'latin1') : '');
