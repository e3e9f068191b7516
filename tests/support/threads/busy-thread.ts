import { DatabaseSync } from '@photostructure/sqlite';
import { serveThread } from '../../../infrastructure/sqlite/thread.js';

/** Statement that takes a fraction of a second. */
const count =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT count(*) FROM n';

/** Runs a statement after each batch, as the state store's writer does to empty its log. */
serveThread<unknown, null, null>(() => {
  const statement = new DatabaseSync(':memory:').prepare(count);
  return (jobs) => {
    queueMicrotask(() => statement.get());
    return jobs;
  };
});
