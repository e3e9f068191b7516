import { serveThread } from '../../../infrastructure/sqlite/thread.js';

serveThread<unknown, { fail?: true }, number>(() => (jobs) => {
  if (jobs.some(({ fail }) => fail)) throw new Error('failing as asked');
  return jobs.map(() => jobs.length);
});
