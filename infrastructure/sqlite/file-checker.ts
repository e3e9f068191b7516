import { openReadOnly } from './database.js';
import { serveThread } from './thread.js';

type Row = { readonly quick_check: string };

/** Returns the problem of a file, or null when it is intact. A file that cannot be opened is reported the same way. */
const problemOf = (path: string): string | null => {
  try {
    const db = openReadOnly(path);
    const found = db.prepare('PRAGMA quick_check(1)').get() as Row;
    db.close();
    return found.quick_check === 'ok' ? null : found.quick_check;
  } catch (error) {
    return (error as Error).message;
  }
};

serveThread<unknown, string, string | null>(() => (paths) => paths.map(problemOf));
