import { Redis } from 'ioredis';
import type { Log } from '../../application/ports/system.js';
import { Failure } from '../../domain/failure.js';
import { unavailable } from '../unavailable.js';

/** Returns the prefix of all keys of a namespace. Without a namespace, keys begin with the service's name. */
export const rootIn = (namespace: string) => (namespace === '' ? 'chainfold' : `${namespace}:chainfold`);

/** Default timeout of a command that no request waits for. */
export const defaultTimeoutMs = 2000;
const maxPauseMs = 2000;

/** Returns whether a server belongs to a Redis Cluster. */
export const isClustered = async (redis: Redis) => /^cluster_enabled:1\b/m.test(await redis.info('cluster'));

/** Rejects a node of a Redis Cluster, because the scripts compute keys that may belong to other nodes. */
const rejectCluster = async (redis: Redis) => {
  if (await isClustered(redis))
    throw new Failure(
      'FAILED_PRECONDITION',
      'REDIS_URL points to a node of a Redis Cluster. Use a single server; replicas are supported.',
    );
};

type ResendOptions = { readonly maxRetriesPerRequest: number };
/** Resends a command once, so that an outage of Redis is detected early. */
const resendOnce: ResendOptions = { maxRetriesPerRequest: 1 };
/**
 * Resends a command over four reconnects, which take about a second: callers do not notice a restart of Redis, and are
 * not kept waiting while Redis is down.
 */
export const resendOverRestart: ResendOptions = { maxRetriesPerRequest: 4 };

/** Opens a connection that reconnects automatically. Commands fail after `timeoutMs` when Redis does not answer. */
export const connectRedis = async (
  url: string,
  log: Log,
  timeoutMs = defaultTimeoutMs,
  resendOptions = resendOnce,
): Promise<Redis> => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    ...resendOptions,
    retryStrategy: (tries) => Math.min(tries * 100, maxPauseMs),
  });
  let loggedMessage = '';
  redis.on('error', (error: Error) => {
    // Every reconnect reports the same error, which is logged once.
    if (loggedMessage !== error.message) log.warn({ err: error }, 'Redis unreachable; reconnecting');
    loggedMessage = error.message;
  });
  redis.on('ready', () => {
    loggedMessage = '';
  });
  try {
    await redis.connect();
    await rejectCluster(redis);
  } catch (error) {
    redis.disconnect();
    return unavailable('Redis')(error);
  }
  return redis;
};
