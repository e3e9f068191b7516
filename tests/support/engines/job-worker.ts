import { once } from 'node:events';
import { bullJobs } from '../../../infrastructure/redis/jobs.js';
import { silent } from '../silent.js';

/** Process that waits for jobs at the given Redis, and closes the queue on SIGTERM. It ends when nothing is left open. */
const [url = ''] = process.argv.slice(2);
const jobs = await bullJobs(url, silent);
const stop = new AbortController();
const run = async () => {
  process.stdout.write('working\n');
  return 'done' as const;
};
const working = jobs.work({ run, atOnce: 2, perOrganization: 2, perLane: 2 }, stop.signal);
// A listener keeps no process alive.
const keepAlive = setInterval(() => undefined, 60_000);
await once(process, 'SIGTERM');
clearInterval(keepAlive);
stop.abort();
await working;
await jobs.close();
