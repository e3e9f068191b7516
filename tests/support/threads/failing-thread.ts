import { serveThread } from '../../../infrastructure/sqlite/thread.js';

/** Ends with an error that no batch causes. */
serveThread<unknown, null, null>(() => () => {
  setImmediate(() => {
    throw new Error('failing after the batch');
  });
  return [];
});
