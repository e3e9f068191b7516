import { bullJobs } from '../../../infrastructure/redis/jobs.js';
import { sqliteJobs } from '../../../infrastructure/sqlite/jobs/jobs.js';
import { silent } from '../silent.js';

/** Arguments of this process, which begins `count` jobs, prints their ids and never completes them. */
const [where = '', count = '', lease = ''] = process.argv.slice(2);
const [url = '', namespace] = where.split('#');
const leaseMs = Number(lease);
const jobs = await (/^rediss?:/.test(url)
  ? bullJobs(url, silent, namespace, { leaseMs, timeoutMs: 60_000 })
  : sqliteJobs(where, leaseMs));
const run = ({ id }: { id: string }) => {
  process.stdout.write(`${id}\n`);
  return new Promise<never>(() => undefined);
};
const max = Number(count);
await jobs.work({ run, atOnce: max, perOrganization: max, perLane: max }, new AbortController().signal);
