import { openReadOnly } from './database.js';
import { serveThread } from './thread.js';

/** File to check. `quick_check` skips the comparison of indexes with their tables. */
export type FileCheck = { readonly path: string; readonly check: 'quick_check' | 'integrity_check' };

/** Returns the problem of a file, or null when it is intact. A file that cannot be opened is reported the same way. */
const problemOf = ({ path, check }: FileCheck): string | null => {
  try {
    const db = openReadOnly(path);
    const { [check]: found = 'no result' } = db.prepare(`PRAGMA ${check}(1)`).get() as Partial<Record<string, string>>;
    db.close();
    return found === 'ok' ? null : found;
  } catch (error) {
    return (error as Error).message;
  }
};

serveThread<unknown, FileCheck, string | null>(() => (files) => files.map(problemOf));
