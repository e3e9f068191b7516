import { once } from 'node:events';
import { bullJobs } from '../../../infrastructure/redis/jobs.js';
import { silent } from '../silent.js';

/**
 * Process that waits for jobs on the given Redis and closes the queue on SIGTERM. The process then exits by itself,
 * unless the queue has left something open.
 */
const [url = ''] = process.argv.slice(2);
const jobs = await bullJobs(url, silent);
const stop = new AbortController();
const run = async () => {
  process.stdout.write('working\n');
  return 'done' as const;
};
const working = jobs.work({ run, atOnce: 2, perOrganization: 2, perLane: 2 }, stop.signal);
// The timer keeps the process alive, which a listener for a signal does not.
const keepAlive = setInterval(() => undefined, 60_000);
await once(process, 'SIGTERM');
clearInterval(keepAlive);
stop.abort();
await working;
await jobs.close();
