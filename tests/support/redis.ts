import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';

const given = process.env.REDIS_URL;
const installed = spawnSync('redis-server', ['--version']).status === 0;

/** Why no Redis can be used here; null when one can. On CI there must be one. */
export const noRedis =
  given || installed || process.env.CI ? null : 'redis-server is not installed and REDIS_URL is not set';
export const redisKind = given ? 'the server at REDIS_URL' : 'a real redis-server';

export type RedisServer = { readonly url: string; readonly process: ChildProcess; stop(): Promise<void> };

/** A server of its own; what it stores is gone with it. */
export const startRedis = async (port?: number): Promise<RedisServer> => {
  const on = port ?? (await freePort());
  const args = ['--port', String(on), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--databases', '4096'];
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  child.unref();
  process.once('exit', () => child.kill('SIGKILL'));
  const probe = new Redis(on, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null });
  probe.on('error', () => undefined);
  await probe.ping();
  probe.disconnect();
  return {
    url: `redis://127.0.0.1:${on}`,
    process: child,
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
};

let shared: Promise<{ url: string }> | undefined;
let used = 0;

/** An empty database of the one server that the tests share. */
export const redisDatabase = async () => {
  shared ??= given ? Promise.resolve({ url: given }) : startRedis();
  const { url } = await shared;
  const own = given ? url : `${url}/${used++}`;
  const redis = new Redis(own);
  await redis.flushdb();
  return {
    url: own,
    /** As if so much time had passed: every key has that much less to live. */
    elapse: async (ms: number) => {
      for (const key of await redis.keys('*')) await redis.pexpire(key, (await redis.pttl(key)) - ms);
    },
    end: async () => redis.disconnect(),
  };
};
