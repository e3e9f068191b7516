import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
