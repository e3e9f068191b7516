import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Global symbol by which this module detects that it was loaded twice, which happens if an importing module has a
 * top-level await. Each copy of the module would know only a part of the directories, and the remaining directories
 * would not be searched for secrets.
 */
const only = Symbol.for('chainfold: directories of the tests');
if (Reflect.has(globalThis, only))
  throw new Error('tests/support/run/directories.ts was loaded twice: an importing module has a top-level await');
Reflect.set(globalThis, only, true);

const made: string[] = [];

/** Makes a temporary directory, which is removed when the tests of the file, or the process, have ended. */
export const freshDirectory = () => {
  const path = mkdtempSync(join(tmpdir(), 'chainfold-'));
  made.push(path);
  return path;
};

/** Lists the temporary directories that still exist. */
export const madeDirectories = () => made.filter((path) => existsSync(path));

/**
 * Removes the temporary directories. Called after each file, because a worker of mocha that is still removing
 * directories a second after its last file is killed.
 */
export const removeDirectories = () => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
};
process.once('exit', removeDirectories);
