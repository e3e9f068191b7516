import { openToRead } from './database.js';
import { serveThread } from './thread.js';

type Row = { readonly quick_check: string };

/** Returns what is wrong with a file, `null` where nothing is; a file that cannot be opened is an answer too. */
const problemOf = (path: string): string | null => {
  try {
    const db = openToRead(path);
    const found = db.prepare('PRAGMA quick_check(1)').get() as Row;
    db.close();
    return found.quick_check === 'ok' ? null : found.quick_check;
  } catch (error) {
    return (error as Error).message;
  }
};

serveThread<unknown, string, string | null>(() => (paths) => paths.map(problemOf));
