import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { rootIn } from '../../../infrastructure/redis/connection.js';
import { bullJobs } from '../../../infrastructure/redis/jobs.js';
import { ids, named, startHolder, startWorker, useWorkers } from '../../support/engines/job-workers.js';
import { noRedis, type RedisServer, redisAnswerMs, redisDatabase, startRedis } from '../../support/engines/redis.js';
import { until } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { silent } from '../../support/silent.js';

/** Times in ms that are longer than any stall of the process. */
const timeouts = { leaseMs: 60_000, timeoutMs: redisAnswerMs };

describe('jobs on a failing Redis', () => {
  const { start } = useWorkers();
  before(function () {
    if (noRedis !== null) skip(this, `jobs on a Redis that fails: ${noRedis}`);
  });

  it('are done even when BullMQ has lost its own jobs', async () => {
    const { url, namespace, end } = await redisDatabase();
    const redis = new Redis(url);
    const jobs = await bullJobs(url, silent, namespace, timeouts);
    try {
      await jobs.put(named(3, 'a'));
      const kill = await startHolder(`${url}#${namespace}`, 2, timeouts.leaseMs);
      await kill();
      await redis.del(await redis.keys(`${rootIn(namespace)}:shifts:*`));
      const worker = start(jobs);
      await until('all are done', async () => (await jobs.count()) === 0);
      assert.deepEqual(ids(worker.begun()), ids(named(3, 'a')));
    } finally {
      await jobs.close();
      redis.disconnect();
      await end();
    }
  });

  it('fail while Redis is unavailable, and resume automatically when it is back', async () => {
    let redis = await startRedis();
    const jobs = await bullJobs(redis.url, silent, '', timeouts);
    const before = await jobs.identity();
    try {
      const worker = start(jobs);
      await jobs.put([...named(1, 'before'), ...named(1, 'lost', Date.now() + 3_600_000)]);
      await until('the worker runs', () => worker.has('before-0'));
      await redis.stop();
      const calls = [
        () => jobs.put(named(1, 'a')),
        () => jobs.remove(['a']),
        () => jobs.count(),
        () => jobs.identity(),
      ];
      for (const call of calls) await assert.rejects(call, { code: 'UNAVAILABLE' });
      redis = await startRedis(Number(new URL(redis.url).port));
      const putAgain = () => jobs.put(named(1, 'after')).then(...([() => true, () => false] as const));
      await until('Redis can be used again', putAgain);
      await until('the worker continues', () => worker.has('after-0'));
      const restarted = await jobs.identity();
      assert.notEqual(restarted, before);
      const visitor = new Redis(redis.url);
      await visitor.flushall();
      visitor.disconnect();
      assert.notEqual(await jobs.identity(), restarted);
      worker.stop();
      await worker.ended;
    } finally {
      await jobs.close();
      await redis.stop();
    }
  });

  const faults = {
    'has stopped': ({ stop }: RedisServer) => stop(),
    'does not answer': ({ process: { pid = 0 } }: RedisServer) => process.kill(pid, 'SIGSTOP'),
  };
  for (const [what, fault] of Object.entries(faults))
    it(`let their process end when Redis ${what}`, async () => {
      const redis = await startRedis();
      const worker = startWorker(redis.url);
      const jobs = await bullJobs(redis.url, silent);
      await jobs.put(named(1, 'a'));
      await worker.hasWorked();
      await jobs.close();
      await fault(redis);
      assert.equal(await worker.end(), 0);
      await redis.stop();
    });
});
