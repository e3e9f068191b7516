import { Redis } from 'ioredis';
import type { Log } from '../../application/ports/system.js';
import { Failure } from '../../domain/failure.js';
import { unavailable } from '../unavailable.js';

/** Names the beginning of all keys of a namespace; keys without a namespace begin with the service's name. */
export const rootIn = (namespace: string) => (namespace === '' ? 'chainfold' : `${namespace}:chainfold`);

/** Longest wait of a caller for Redis, whether it is slow, silent or gone. */
export const usualAnswerMs = 2000;
const maxPauseMs = 2000;

/** Tells whether a server belongs to a Redis Cluster. */
export const isClustered = async (redis: Redis) => /^cluster_enabled:1\b/m.test(await redis.info('cluster'));

/** Refuses a node of a Redis Cluster, which holds a part of the keys, because the scripts compute keys of any part. */
const refuseCluster = async (redis: Redis) => {
  if (await isClustered(redis))
    throw new Failure(
      'FAILED_PRECONDITION',
      'REDIS_URL names a node of a Redis Cluster; a single server is needed, which may have replicas',
    );
};

/** Opens a connection that reconnects by itself; commands sent meanwhile fail within the time limit. */
export const connectRedis = async (url: string, log: Log, answerMs = usualAnswerMs): Promise<Redis> => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: answerMs,
    commandTimeout: answerMs,
    maxRetriesPerRequest: 1,
    retryStrategy: (tries) => Math.min(tries * 100, maxPauseMs),
  });
  let told = '';
  redis.on('error', (error: Error) => {
    // Every reconnect reports the same error; it is logged once.
    if (told !== error.message) log.warn({ err: error }, 'Redis is not reachable');
    told = error.message;
  });
  redis.on('ready', () => {
    told = '';
  });
  try {
    await redis.connect();
    await refuseCluster(redis);
  } catch (error) {
    redis.disconnect();
    return unavailable('Redis')(error);
  }
  return redis;
};
