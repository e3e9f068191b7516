import { bullJobs } from '../../infrastructure/redis/jobs.js';
import { sqliteJobs } from '../../infrastructure/sqlite/jobs.js';
import { silent } from './silent.js';

/** A process of its own that begins so many jobs, tells which, and never ends them. */
const [where = '', count = ''] = process.argv.slice(2);
const jobs = await (/^rediss?:/.test(where) ? bullJobs(where, silent) : sqliteJobs(where));
const run = ({ id }: { id: string }) => {
  process.stdout.write(`${id}\n`);
  return new Promise<never>(() => undefined);
};
await jobs.work({ run, atOnce: Number(count), perLane: Number(count) }, new AbortController().signal);
