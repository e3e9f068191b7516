import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from '../free-port.js';
import { freshDirectory } from '../run/directories.js';
import { freshNamespace, given as servers } from '../run/servers.js';

const given = servers.redis;

export const isRedisInstalled = spawnSync('redis-server', ['--version']).status === 0;

/** Reason why no Redis can be used; null if one can. Always null on CI, where tests must fail if Redis is missing. */
export const noRedis =
  given || isRedisInstalled || process.env.CI ? null : 'redis-server is not installed and REDIS_URL is not set';
export const redisKind = given ? 'the server at REDIS_URL' : 'a real redis-server';

/** Timeout in ms for an answer from Redis, far longer than any stall of a process. */
export const redisAnswerMs = 60_000;

export type RedisServer = { readonly url: string; readonly process: ChildProcess; stop(): Promise<void> };

/** Starts a Redis server without persistence, on a free port if `port` is absent. `settings` are extra arguments. */
export const startRedis = async (port?: number, settings: readonly string[] = []): Promise<RedisServer> => {
  const on = port ?? (await freePort());
  const databases = settings.length > 0 ? [] : ['--databases', '4096'];
  const args = ['--port', String(on), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', [...args, '--dir', freshDirectory(), ...databases, ...settings], {
    stdio: 'ignore',
  });
  child.unref();
  process.once('exit', () => child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  const probe = new Redis(on, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null });
  probe.on('error', () => undefined);
  const serverInfo = await Promise.race([probe.info('server'), gone.then(() => '')]);
  probe.disconnect();
  // Starts again if another process, which may be another Redis, took the port in the meantime.
  if (!serverInfo.includes(`process_id:${child.pid}\r\n`)) {
    child.kill('SIGKILL');
    await gone;
    return startRedis(port, settings);
  }
  return {
    url: `redis://127.0.0.1:${on}`,
    process: child,
    stop: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
};

let shared: Promise<{ url: string }> | undefined;
let used = 0;

/** Returns an empty database on the server that the tests share, or a fresh namespace on the server at REDIS_URL. */
export const redisDatabase = async () => {
  shared ??= given ? Promise.resolve({ url: given }) : startRedis();
  const { url } = await shared;
  const own = given ? url : `${url}/${used++}`;
  const namespace = given ? freshNamespace() : '';
  const redis = new Redis(own);
  if (!given) await redis.flushdb();
  return {
    url: own,
    namespace,
    /** Shortens the lifetime of every key by `ms`, as if that time had passed. */
    elapse: async (ms: number) => {
      for (const key of await redis.keys(`${namespace}*`)) await redis.pexpire(key, (await redis.pttl(key)) - ms);
    },
    end: async () => redis.disconnect(),
  };
};
