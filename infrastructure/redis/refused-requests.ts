import type { Redis } from 'ioredis';
import { slicesOf } from '../../application/async/slices.js';
import type { Log } from '../../application/ports/system.js';
import { type RefusedRequest, type RefusedRequests, refusalBounds } from '../../application/ports/tracing/requests.js';
import { unavailable } from '../unavailable.js';
import { connectRedis, rootIn } from './connection.js';

/**
 * Adds refused requests to a group, newest first. Beyond the maximum number of groups, removes the groups whose last
 * refusal is oldest. KEYS: the list of the group, and the groups by time of the last refusal, both in one slot, as
 * Redis requires of a script.
 */
const add = `
  local time = redis.call('TIME')
  for i = 6, #ARGV do redis.call('LPUSH', KEYS[1], ARGV[i]) end
  redis.call('LTRIM', KEYS[1], 0, ARGV[3] - 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
  redis.call('ZADD', KEYS[2], time[1] .. string.format('%06d', time[2]), ARGV[2])
  local oldest = redis.call('ZRANGE', KEYS[2], 0, -1 - ARGV[4])
  for _, group in ipairs(oldest) do
    redis.call('DEL', ARGV[1] .. group)
    redis.call('ZREM', KEYS[2], group)
  end
  redis.call('PEXPIRE', KEYS[2], ARGV[5])
  return 1`;

type Scripts = { chainfoldAddRefused(...given: (string | number)[]): Promise<number> };

/** Number of groups that are read at the same time. */
const groupsAtOnce = 20;

const createStore = (redis: Redis, root: string) => {
  const prefix = `${root}:group:`;
  const groups = `${root}:groups`;
  redis.defineCommand('chainfoldAddRefused', { numberOfKeys: 2, lua: add });
  const scripts = redis as unknown as Scripts;
  const { perGroup, groups: maxGroups, retentionMs } = refusalBounds;
  const requestsIn = async (names: readonly string[], requestId: string): Promise<RefusedRequest[]> => {
    const lists = await Promise.all(names.map((name) => redis.lrange(`${prefix}${name}`, 0, -1)));
    const quoted = JSON.stringify(requestId);
    // Stored requests without the id in their JSON text are skipped before parsing, because a group may hold hundreds.
    const candidates = lists.flat().filter((text) => text.includes(quoted));
    return candidates.map((text) => JSON.parse(text) as RefusedRequest).filter((one) => one.requestId === requestId);
  };
  return {
    add: async (...[refused]: Parameters<RefusedRequests['add']>) => {
      await Promise.all(
        refused.map(({ group, requests }) =>
          scripts.chainfoldAddRefused(
            `${prefix}${group}`,
            groups,
            prefix,
            group,
            perGroup,
            maxGroups,
            retentionMs,
            ...requests.map((one) => JSON.stringify(one)),
          ),
        ),
      );
    },
    find: async (requestId: string): Promise<readonly RefusedRequest[]> => {
      const names = await redis.zrange(groups, '0', '-1');
      const since = Date.now() - retentionMs;
      const found: RefusedRequest[] = [];
      for (const some of slicesOf(names, groupsAtOnce)) found.push(...(await requestsIn(some, requestId)));
      return found.filter(({ time }) => time >= since).sort((one, other) => one.time - other.time);
    },
  };
};

/**
 * Creates a store of refused requests in Redis, for processes on several machines. The connection to Redis is opened on
 * first use.
 */
export const redisRefusedRequests = (url: string, log: Log, namespace = '', timeoutMs?: number): RefusedRequests => {
  let connecting: Promise<Redis> | undefined;
  const store = async () => {
    connecting ??= connectRedis(url, log, timeoutMs).catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    return createStore(await connecting, `${rootIn(namespace)}:{refused}`);
  };
  return {
    add: async (refused) => (await store()).add(refused).catch(unavailable('Redis')),
    find: async (requestId) => (await store()).find(requestId).catch(unavailable('Redis')),
    close: async () => (await connecting?.catch(() => null))?.disconnect(),
  };
};
