import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** SQLITE_CORRUPT and SQLITE_NOTADB; the bits above the lowest eight say more about the place and are left out. */
const damageCodes = [11, 26];
const primaryBits = 0xff;

/** Tells whether an error, or an error that caused it, says that the content of a file is damaged. */
export const isDamage = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { errcode, cause } = error as Error & { errcode?: number };
  return (errcode !== undefined && damageCodes.includes(errcode & primaryBits)) || isDamage(cause);
};

/** Parses a stored text that was written as JSON: text that is no longer JSON is damage which SQLite cannot see. */
export const parseStored = <T>(text: string): T => {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw Object.assign(new Error('a stored text is not JSON', { cause }), { errcode: damageCodes[0] });
  }
};

/** Files set aside that are kept: a disk that fails again and again must not be filled with them. */
const keptAside = 3;

/** Renames a file unless it is gone: SQLite removes its own as soon as the last connection closes. */
const renameIfThere = (from: string, to: string) => {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};

/**
 * Renames a damaged file, and SQLite's files beside it, so that a new file can take its place; returns the new name.
 * The log goes first: SQLite would apply a log that it finds beside a new file.
 */
export const setAside = (path: string): string => {
  const mark = `${basename(path, '.db')}.damaged-`;
  const aside = join(dirname(path), `${mark}${new Date().toISOString().replaceAll(':', '-')}.db`);
  for (const suffix of ['-shm', '-wal', '']) renameIfThere(path + suffix, aside + suffix);
  const all = readdirSync(dirname(path)).filter((name) => name.startsWith(mark) && name.endsWith('.db'));
  for (const old of all.toSorted().slice(0, -keptAside))
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dirname(path), old + suffix), { force: true });
  return aside;
};
