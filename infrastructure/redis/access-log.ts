import type { Redis } from 'ioredis';
import type { Log } from '../../application/ports/system.js';
import {
  type Access,
  type AccessLog,
  maxAccesses,
  type NumberedAccess,
  type OwnedAccess,
  partOf,
} from '../../application/ports/tracing/access-log.js';
import { unavailable } from '../unavailable.js';
import { connectRedis, rootIn } from './connection.js';

/**
 * Adds entries to an organization's log. Removes the oldest entries of each part (`read` and `refused`) that exceed the
 * limit or the retention. KEYS: the last entry number of the organization, then a sorted set for each part, all in one
 * slot, as Redis requires of a script. ARGV: limit, retention in ms, oldest time to keep in Unix ms, then for each
 * entry the index of its set in KEYS and its JSON. The number precedes the JSON, because a sorted set would store equal
 * members only once.
 */
const add = `
  for i = 4, #ARGV, 2 do
    local number = redis.call('INCR', KEYS[1])
    redis.call('ZADD', KEYS[tonumber(ARGV[i])], number, number .. ' ' .. ARGV[i + 1])
  end
  for i = 2, 3 do
    redis.call('ZREMRANGEBYRANK', KEYS[i], 0, -1 - ARGV[1])
    for _, member in ipairs(redis.call('ZRANGE', KEYS[i], 0, 99)) do
      local entry = cjson.decode(string.sub(member, string.find(member, ' ') + 1))
      if entry.time < tonumber(ARGV[3]) then redis.call('ZREM', KEYS[i], member) end
    end
    redis.call('PEXPIRE', KEYS[i], ARGV[2])
  end
  return 1`;

type Scripts = { chainfoldAddAccess(...given: (string | number)[]): Promise<number> };

const parts = ['read', 'refused'] as const;

/** Returns the index in KEYS of the sorted set for entries of this kind. */
const keyOf = (kind: Access['kind']) => 2 + parts.indexOf(partOf(kind));

/**
 * Groups the entries by organization, as arguments of the script: for each entry, the index of its set in KEYS and its
 * JSON.
 */
const grouped = (accesses: readonly OwnedAccess[]) => {
  const groups = new Map<string, (string | number)[]>();
  for (const { organizationId, ...access } of accesses) {
    const group = groups.get(organizationId) ?? [];
    group.push(keyOf(access.kind), JSON.stringify(access));
    groups.set(organizationId, group);
  }
  return groups;
};

const parsed = (member: string): NumberedAccess => {
  const space = member.indexOf(' ');
  return { ...(JSON.parse(member.slice(space + 1)) as Access), number: Number(member.slice(0, space)) };
};

const createStore = (redis: Redis, rootOf: (organizationId: string) => string, retentionMs: number) => {
  redis.defineCommand('chainfoldAddAccess', { numberOfKeys: 3, lua: add });
  const scripts = redis as unknown as Scripts;
  return {
    add: async (accesses: readonly OwnedAccess[]) => {
      const bounds = [maxAccesses, retentionMs, Date.now() - retentionMs];
      await Promise.all(
        [...grouped(accesses)].map(([organizationId, entries]) => {
          const root = rootOf(organizationId);
          const keys = ['last', ...parts].map((name) => `${root}:${name}`);
          return scripts.chainfoldAddAccess(...keys, ...bounds, ...entries);
        }),
      );
    },
    list: async (...[organizationId, { from, before, limit }]: Parameters<AccessLog['list']>) => {
      const highest = before === undefined ? '+inf' : `(${before}`;
      const lists = await Promise.all(
        parts.map((part) =>
          redis.zrange(`${rootOf(organizationId)}:${part}`, highest, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, limit),
        ),
      );
      const since = Math.max(from, Date.now() - retentionMs);
      const found = lists.flat().map(parsed);
      return found
        .filter(({ time }) => time >= since)
        .sort((one, other) => other.number - one.number)
        .slice(0, limit);
    },
  };
};

/**
 * Creates an access log in Redis, for processes on several machines. The connection to Redis is opened on first use.
 */
export const redisAccessLog = (
  url: string,
  retentionMs: number,
  log: Log,
  namespace = '',
  timeoutMs?: number,
): AccessLog => {
  let connecting: Promise<Redis> | undefined;
  const store = async () => {
    connecting ??= connectRedis(url, log, timeoutMs).catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    const root = rootIn(namespace);
    return createStore(await connecting, (organizationId) => `${root}:access:{${organizationId}}`, retentionMs);
  };
  return {
    add: async (accesses) => (await store()).add(accesses).catch(unavailable('Redis')),
    list: async (...given) => (await store()).list(...given).catch(unavailable('Redis')),
    close: async () => (await connecting?.catch(() => null))?.disconnect(),
  };
};
