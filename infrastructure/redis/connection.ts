import { Redis } from 'ioredis';
import type { Log } from '../../application/ports/system.js';
import { unavailable } from '../unavailable.js';

/** A caller waits no longer than this for Redis, whether it is slow, mute or gone. */
const answerMs = 2000;
const longestPauseMs = 2000;

/** One connection that comes back by itself; what is asked of it meanwhile fails in time. */
export const connectRedis = async (url: string, log: Log): Promise<Redis> => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: answerMs,
    commandTimeout: answerMs,
    maxRetriesPerRequest: 1,
    retryStrategy: (tries) => Math.min(tries * 100, longestPauseMs),
  });
  let told = '';
  redis.on('error', (error: Error) => {
    // It says the same with every try to come back; once is enough.
    if (told !== error.message) log.warn({ err: error }, 'Redis is not reachable');
    told = error.message;
  });
  redis.on('ready', () => {
    told = '';
  });
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    return unavailable('Redis')(error);
  }
  return redis;
};
