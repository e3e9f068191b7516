import assert from 'node:assert/strict';
import { redisAnnouncedHeads } from '../../../infrastructure/redis/announced-heads.js';
import { redisFinalAnswers } from '../../../infrastructure/redis/final-answers.js';
import { bullJobs } from '../../../infrastructure/redis/jobs.js';
import { redisLimiter } from '../../../infrastructure/redis/limiter.js';
import { embedded } from '../../support/engines/engines.js';
import { noRedis, type RedisServer, startRedis } from '../../support/engines/redis.js';
import { skip } from '../../support/run/skip.js';
import { runProcess } from '../../support/service/command.js';
import { silent } from '../../support/silent.js';

describe('a node of a Redis Cluster', () => {
  let redis: RedisServer | undefined;
  let url = '';
  before(async function () {
    if (noRedis !== null) return skip(this, `a node of a Redis Cluster: ${noRedis}`);
    redis = await startRedis(undefined, ['--cluster-enabled', 'yes']);
    url = redis.url;
  });
  after(() => redis?.stop());

  it('is rejected by every adapter, because their scripts compute keys', async () => {
    const refusal = { code: 'FAILED_PRECONDITION', message: /Redis Cluster/ };
    await assert.rejects(redisLimiter(url, silent), refusal);
    await assert.rejects(bullJobs(url, silent), refusal);
    await assert.rejects(redisFinalAnswers(url, 1000, silent), refusal);
    await assert.rejects(redisAnnouncedHeads(url, silent), refusal);
  });

  it('fails the start with a line that says what to use, as does doctor', async () => {
    const home = await embedded.home();
    const started = await runProcess(home, ['serve'], { REDIS_URL: url });
    assert.notEqual(started.code, 0);
    assert.match(started.stderr, /^.*REDIS_URL points to a node of a Redis Cluster\. .*$/m);
    const examined = await runProcess(home, ['doctor'], { REDIS_URL: url });
    assert.match(examined.stdout, /Redis Cluster/);
    assert.equal(examined.code, 1);
  });
});
