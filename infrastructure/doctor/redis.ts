import { Redis } from 'ioredis';
import { type Check, clockFinding, type Finding, fail, ok, warn } from '../../application/maintenance/finding.js';
import type { Opened } from './opened.js';

const oldest = 7;
const answerMs = 2000;
const away = 'is Redis up, and is REDIS_URL where it is?';

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
  return [
    Number.parseInt(version, 10) < oldest
      ? warn(`version ${version}`, `use ${oldest} or later`)
      : ok(`version ${version}`),
  ];
};

/** Hosted ones may not tell. */
const setting = async (redis: Redis, name: string) => {
  const told = (await redis.config('GET', name).catch(() => [])) as string[];
  return told[1] ?? null;
};

const memory: Look = async (redis) => {
  const policy = await setting(redis, 'maxmemory-policy');
  const advice =
    'set maxmemory-policy noeviction: what is thrown away are nonces, so that requests could be replayed, and jobs';
  if (policy === null) return [ok('does not tell its maxmemory-policy')];
  return [policy === 'noeviction' ? ok('throws nothing away') : fail(`maxmemory-policy is ${policy}`, advice)];
};

const file: Look = async (redis) => {
  const appendOnly = await setting(redis, 'appendonly');
  if (appendOnly === null) return [ok('does not tell whether it has an append-only file')];
  const advice = 'set appendonly yes: after a crash it would take nonces of the last minutes again';
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
