import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { noRedis, redisDatabase } from '../../support/engines/redis.js';
import { skip } from '../../support/run/skip.js';

const processes = 4;
const limit = 1000;

/** Starts a process that sends requests against the limit; returns how many were admitted. */
const run = async (
  { url, namespace }: { readonly url: string; readonly namespace: string },
  window: 'second' | 'month',
  count: number,
): Promise<number> => {
  const program = 'tests/support/service/limited-caller.ts';
  const args = ['--import', 'tsx', program, url, window, String(limit), String(count), namespace];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
};
const admittedBy = async (...given: Parameters<typeof run>) => {
  const admitted = await Promise.all(Array.from({ length: processes }, () => run(...given)));
  return admitted.reduce((sum, one) => sum + one, 0);
};

describe('a limit that four processes share on Redis', () => {
  let database: Awaited<ReturnType<typeof redisDatabase>>;
  before(async function () {
    if (noRedis !== null) return skip(this, `limits over processes: ${noRedis}`);
    database = await redisDatabase();
  });
  after(() => database?.end());

  // Uses the limit per month, because a month is the longest window and therefore hardly ever ends during the test.
  it('holds within one percent while they send twice as many requests', async () => {
    const total = await admittedBy(database, 'month', (2 * limit) / processes);
    assert.ok(Math.abs(total - limit) <= limit / 100, String(total));
  });

  it('holds across window boundaries', async () => {
    const redis = new Redis(database.url);
    const second = async () => Number((await redis.time())[0]);
    const first = await second();
    const total = await admittedBy(database, 'second', 2 * limit);
    const windows = (await second()) - first + 1;
    redis.disconnect();
    assert.ok(total <= windows * limit, `${total} in ${windows} seconds`);
  });
});
