import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Two copies of this module in one process would each know only a part of the directories, and the rest would not be
 * searched for secrets. A second copy is loaded when an importing module has a top-level await.
 */
const only = Symbol.for('chainfold: directories of the tests');
if (Reflect.has(globalThis, only))
  throw new Error('tests/support/run/directories.ts was loaded twice: an importing module has a top-level await');
Reflect.set(globalThis, only, true);

const made: string[] = [];

/** Makes a temporary directory, which is removed when the process ends. */
export const freshDirectory = () => {
  const path = mkdtempSync(join(tmpdir(), 'chainfold-'));
  made.push(path);
  return path;
};

/** Lists the temporary directories that still exist. */
export const madeDirectories = () => made.filter((path) => existsSync(path));

process.once('exit', () => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});
