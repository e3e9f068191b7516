import { Redis } from 'ioredis';
import { type Check, clockFinding, type Finding, fail, ok, warn } from '../../application/maintenance/finding.js';
import { isClustered } from '../redis/connection.js';
import type { SharedConnections } from './shared-connections.js';

const minVersion = 7;
const timeoutMs = 2000;
const connectionAdvice = 'check that Redis is running and that REDIS_URL points to it';

const open = async (url: string) => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  await redis.connect();
  return { redis, close: async () => redis.disconnect() };
};
type Probe = (redis: Redis) => Promise<readonly Finding[]>;

const server: Probe = async (redis) => {
  const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown';
  if (await isClustered(redis))
    return [fail('is a node of a Redis Cluster', 'point REDIS_URL to a single server, which may have replicas')];
  return [
    Number.parseInt(version, 10) < minVersion
      ? warn(`version ${version}`, `use Redis ${minVersion} or later`)
      : ok(`version ${version}`),
  ];
};

/**
 * Reads a setting of the server; null when the server does not allow CONFIG GET, as is common for hosted servers.
 */
const setting = async (redis: Redis, name: string) => {
  const reply = (await redis.config('GET', name).catch(() => [])) as string[];
  return reply[1] ?? null;
};

const memory: Probe = async (redis) => {
  const policy = await setting(redis, 'maxmemory-policy');
  const advice =
    'set maxmemory-policy noeviction: evicting nonces lets requests be replayed, and evicting jobs loses them';
  if (policy === null) return [ok('maxmemory-policy unknown: the server does not allow CONFIG GET')];
  return [
    policy === 'noeviction' ? ok('maxmemory-policy is noeviction') : fail(`maxmemory-policy is ${policy}`, advice),
  ];
};

const file: Probe = async (redis) => {
  const appendOnly = await setting(redis, 'appendonly');
  if (appendOnly === null) return [ok('appendonly unknown: the server does not allow CONFIG GET')];
  const advice =
    'set appendonly yes: without it, a crash loses used nonces, and requests of the last minutes could be replayed';
  return [appendOnly === 'yes' ? ok('has an append-only file') : warn('has no append-only file', advice)];
};

const clock: Probe = async (redis) => {
  const askedAt = Date.now();
  const [seconds, micros] = await redis.time();
  return [clockFinding('Redis', Number(seconds) * 1000 + Number(micros) / 1000, (askedAt + Date.now()) / 2)];
};

export const redisChecks = (url: string, opened: SharedConnections): readonly Check[] => {
  const connection = opened.once(() => open(url));
  const probes = { Redis: server, 'memory of Redis': memory, 'file of Redis': file, 'clock of Redis': clock };
  return Object.entries(probes).map(([name, probe]) => ({
    name,
    advice: connectionAdvice,
    run: async () => probe((await connection()).redis),
  }));
};
