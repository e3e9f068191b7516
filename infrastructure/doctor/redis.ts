import { Redis } from 'ioredis';
import { type Check, clockFinding, type Finding, fail, ok, warn } from '../../application/maintenance/finding.js';
import { isClustered } from '../redis/connection.js';
import type { Opened } from './opened.js';

const oldest = 7;
const answerMs = 2000;
const away = 'check that Redis is running and that REDIS_URL points to it';

const open = async (url: string) => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: answerMs,
    commandTimeout: answerMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  await redis.connect();
  return { redis, close: async () => redis.disconnect() };
};
type Look = (redis: Redis) => Promise<readonly Finding[]>;

const server: Look = async (redis) => {
  const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown';
  if (await isClustered(redis))
    return [fail('is a node of a Redis Cluster', 'point REDIS_URL to a single server, which may have replicas')];
  return [
    Number.parseInt(version, 10) < oldest
      ? warn(`version ${version}`, `use ${oldest} or later`)
      : ok(`version ${version}`),
  ];
};

/** Reads a setting; null where a hosted Redis forbids it. */
const setting = async (redis: Redis, name: string) => {
  const told = (await redis.config('GET', name).catch(() => [])) as string[];
  return told[1] ?? null;
};

const memory: Look = async (redis) => {
  const policy = await setting(redis, 'maxmemory-policy');
  const advice =
    'set maxmemory-policy noeviction: evicting nonces lets requests be replayed, and evicting jobs loses them';
  if (policy === null) return [ok('maxmemory-policy not known: the server does not allow CONFIG GET')];
  return [
    policy === 'noeviction' ? ok('maxmemory-policy is noeviction') : fail(`maxmemory-policy is ${policy}`, advice),
  ];
};

const file: Look = async (redis) => {
  const appendOnly = await setting(redis, 'appendonly');
  if (appendOnly === null) return [ok('appendonly not known: the server does not allow CONFIG GET')];
  const advice =
    'set appendonly yes: without the file a crash forgets nonces, and requests of the last minutes could be replayed';
  return [appendOnly === 'yes' ? ok('has an append-only file') : warn('has no append-only file', advice)];
};

const clock: Look = async (redis) => {
  const asked = Date.now();
  const [seconds, micros] = await redis.time();
  return [clockFinding('Redis', Number(seconds) * 1000 + Number(micros) / 1000, (asked + Date.now()) / 2)];
};

export const redisChecks = (url: string, opened: Opened): readonly Check[] => {
  const connection = opened.once(() => open(url));
  const looks = { Redis: server, 'memory of Redis': memory, 'file of Redis': file, 'clock of Redis': clock };
  return Object.entries(looks).map(([name, look]) => ({
    name,
    advice: away,
    run: async () => look((await connection()).redis),
  }));
};
