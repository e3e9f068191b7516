import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** SQLITE_CORRUPT and SQLITE_NOTADB. The higher bits of an extended error code are ignored. */
const damageCodes = [11, 26];
const primaryBits = 0xff;

/** Returns whether an error, or one of its causes, reports a damaged file. */
export const isDamage = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { errcode, cause } = error as Error & { errcode?: number };
  return (errcode !== undefined && damageCodes.includes(errcode & primaryBits)) || isDamage(cause);
};

/** Parses stored JSON. Invalid JSON is reported as damage, because SQLite does not detect changes inside a text. */
export const parseStored = <T>(text: string): T => {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw Object.assign(new Error('Stored document is not valid JSON', { cause }), { errcode: damageCodes[0] });
  }
};

/** Maximum number of damaged files that are kept, so that a failing disk does not fill up with them. */
const maxKept = 3;

/**
 * Renames a file if it exists. Log files may be missing, because SQLite removes them when the last connection closes.
 */
const renameIfThere = (from: string, to: string) => {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};

/**
 * Renames a damaged file and its SQLite log files, so that a new file can take its place. Returns the new path. The log
 * files are renamed first, because SQLite would apply an old log to a new file.
 */
export const setAside = (path: string): string => {
  const mark = `${basename(path, '.db')}.damaged-`;
  const aside = join(dirname(path), `${mark}${new Date().toISOString().replaceAll(':', '-')}.db`);
  for (const suffix of ['-shm', '-wal', '']) renameIfThere(path + suffix, aside + suffix);
  const all = readdirSync(dirname(path)).filter((name) => name.startsWith(mark) && name.endsWith('.db'));
  for (const old of all.toSorted().slice(0, -maxKept))
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dirname(path), old + suffix), { force: true });
  return aside;
};
