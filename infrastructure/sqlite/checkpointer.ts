import { openDatabase } from './database.js';
import { serveThread } from './thread.js';

serveThread<{ path: string }, null, null>(({ path }) => {
  const checkpoint = openDatabase(path, 'relaxed').prepare('PRAGMA wal_checkpoint(PASSIVE)');
  return (jobs) => {
    checkpoint.all();
    return jobs;
  };
});
