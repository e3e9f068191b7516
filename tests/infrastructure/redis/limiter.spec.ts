import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Limiter } from '../../../application/ports/limiter.js';
import { redisLimiter } from '../../../infrastructure/redis/limiter.js';
import { noRedis, redisAnswerMs, redisDatabase } from '../../support/engines/redis.js';
import { skip } from '../../support/run/skip.js';
import { silent } from '../../support/silent.js';

/** Proxies bytes to Redis and back; on request, drops the next response together with its connection. */
const startLossyPath = async (url: URL) => {
  let isLosing = false;
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const redis = connect(Number(url.port || 6379), url.hostname);
    sockets.push(client, redis);
    for (const socket of [client, redis]) socket.on('error', () => undefined);
    client.pipe(redis);
    redis.on('data', (bytes) => {
      if (!isLosing) return void client.write(bytes);
      isLosing = false;
      client.destroy();
      redis.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port }).href,
    loseNextAnswer: () => {
      isLosing = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

describe('a limiter on Redis whose connection breaks before the answer', () => {
  let database: Awaited<ReturnType<typeof redisDatabase>>;
  let path: Awaited<ReturnType<typeof startLossyPath>>;
  let limiter: Limiter;
  before(function () {
    if (noRedis !== null) skip(this, `a limiter on Redis whose connection breaks: ${noRedis}`);
  });
  beforeEach(async () => {
    database = await redisDatabase();
    path = await startLossyPath(new URL(database.url));
    limiter = await redisLimiter(path.url, silent, database.namespace, { deadlineMs: redisAnswerMs });
  });
  afterEach(async () => {
    await limiter.close();
    path.close();
    await database.end();
  });
  const admit = async (nonce: string) => {
    const limits = { second: 1e6, hour: 1e6, day: 1e6, month: 2 };
    const charge = { organizationId: 'org_1', chain: 'X', limits, cost: 1 };
    const { replayed, quota } = await limiter.admit({ apiKey: 'key', nonce, charge });
    return { replayed, allowed: quota?.allowed, left: quota?.remaining };
  };

  it('retries and gets the same answer, whether the first run admitted or rejected the request', async () => {
    assert.deepEqual(await admit('1'), { replayed: false, allowed: true, left: 1 });
    path.loseNextAnswer();
    assert.deepEqual(await admit('2'), { replayed: false, allowed: true, left: 0 });
    path.loseNextAnswer();
    assert.deepEqual(await admit('3'), { replayed: false, allowed: false, left: 0 });
    assert.equal((await admit('3')).replayed, true);
  });
});
