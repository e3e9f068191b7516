import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDirectory } from './directories.js';

/** A disk that can be told to fail, for processes started with its environment; null where nothing can compile it. */
export const createDiskFaults = () => {
  const directory = freshDirectory();
  const [library, control, record] = ['faults.so', 'control', 'record'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const source = 'tests/support/disk-faults.c';
  const built = process.platform === 'linux' && spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
  if (built === false || built.status !== 0) return null;
  writeFileSync(control, '');
  return { environment: { LD_PRELOAD: library, DISK_CONTROL: control, DISK_RECORD: record } };
};

/** In a process that has such a disk. */
export const tellDisk = (
  wish: `slow ${number}` | `${'sync' | 'write'} ${number}` | `record ${string}` | '',
  control = process.env.DISK_CONTROL as string,
) => writeFileSync(control, wish);

/** What was done since it was told to remember: `w` for a write and `s` for a wait until it is on the disk, in order. */
export const recordedBy = (file: string) => (existsSync(file) ? readFileSync(file, 'latin1') : '');
