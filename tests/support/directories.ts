import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Two copies of this module in one process would each know a part of the directories, and what the other made would not be searched
 * for secrets. That happens when one of those who import it awaits at its top level, and so is loaded as another kind of module.
 */
const only = Symbol.for('chainfold: directories of the tests');
if (Reflect.has(globalThis, only)) throw new Error('tests/support/directories.ts was loaded twice: see there');
Reflect.set(globalThis, only, true);

const made: string[] = [];

/** A directory of its own for a test; all are removed when the process ends. */
export const freshDirectory = () => {
  const path = mkdtempSync(join(tmpdir(), 'chainfold-'));
  made.push(path);
  return path;
};

/** Those of them that are still there. */
export const madeDirectories = () => made.filter((path) => existsSync(path));

process.once('exit', () => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});
