import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { noRedis, redisDatabase } from '../support/redis.js';
import { skip } from '../support/skip.js';

const processes = 4;
const limit = 1000;
const seconds = 4;

const run = async (url: string): Promise<Record<string, number>> => {
  const args = ['--import', 'tsx', 'tests/support/limited-caller.ts', url, limit, processes, seconds].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
};

describe('a limit that four processes share on Redis', () => {
  it('holds exactly while they ask for twice as much', async function () {
    if (noRedis !== null) return skip(this, `limits over processes: ${noRedis}`);
    const { url, end } = await redisDatabase();
    try {
      const counts = await Promise.all(Array.from({ length: processes }, () => run(url)));
      const [first = {}] = counts;
      // Seconds in which every process asked from the beginning to the end.
      const whole = Object.keys(first)
        .map(Number)
        .filter((at) => [at - 1, at, at + 1].every((one) => counts.every((count) => one in count)));
      const totals = whole.map((at) => counts.reduce((sum, count) => sum + (count[at] ?? 0), 0));
      assert.ok(totals.length > 0, JSON.stringify(counts));
      for (const total of totals) assert.ok(Math.abs(total - limit) <= limit / 100, JSON.stringify(totals));
    } finally {
      await end();
    }
  });
});
