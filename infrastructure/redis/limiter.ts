import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Charge, Limiter, Memory } from '../../application/ports/limiter.js';
import type { Log } from '../../application/ports/system.js';
import { monthStart, quotaOf, windows } from '../../domain/rate-limit.js';
import { unavailable } from '../unavailable.js';
import { connectRedis } from './connection.js';

/** From its use, which may be as long before its own time as it is accepted after; the rest is for clocks that differ. */
const nonceKeptMs = 900_000;
export const answerKeptMs = 86_400_000;

/**
 * Windows go by the clock of Redis, so that nodes whose clocks differ count into the same ones. Months differ in length:
 * the caller names where this one starts and the next two. The connection sends a command again when it broke before
 * the answer; the claimant's own token makes that harmless.
 */
const admit = `
  local token, kept, cost = ARGV[1], ARGV[2], tonumber(ARGV[3])
  local resent = false
  if token ~= '' and not redis.call('SET', KEYS[1], token, 'NX', 'PX', kept) then
    if redis.call('GET', KEYS[1]) ~= token then return {1} end
    resent = true
  end
  if cost == 0 then return {0} end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local held = redis.call('HMGET', KEYS[2], 's1', 's2', 's3', 's4', 'c1', 'c2', 'c3', 'c4')
  local starts, ends, used = {}, {}, {}
  local allowed = 1
  for i, length in ipairs({1000, 3600000, 86400000}) do
    starts[i] = now - now % length
    ends[i] = starts[i] + length
  end
  local month = now < tonumber(ARGV[9]) and 8 or 9
  starts[4], ends[4] = tonumber(ARGV[month]), tonumber(ARGV[month + 1])
  for i = 1, 4 do
    used[i] = tonumber(held[i]) == starts[i] and tonumber(held[i + 4]) or 0
    if not resent and used[i] + cost > tonumber(ARGV[i + 3]) then allowed = 0 end
  end
  if allowed == 1 and not resent then
    for i = 1, 4 do
      used[i] = used[i] + cost
      redis.call('HSET', KEYS[2], 's' .. i, string.format('%.0f', starts[i]), 'c' .. i, string.format('%.0f', used[i]))
    end
    redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', ends[4]))
  end
  local answer = {0, allowed}
  for i = 1, 4 do
    answer[#answer + 1] = used[i]
    answer[#answer + 1] = ends[i] - now
  end
  return answer`;
const claimKey = `
  if redis.call('HSETNX', KEYS[1], 'request', ARGV[1]) == 1 then
    redis.call('HSET', KEYS[1], 'seed', ARGV[3])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  local found = redis.call('HMGET', KEYS[1], 'request', 'seed', 'answer')
  if found[1] ~= ARGV[1] then return {'other-request'} end
  if not found[3] then return {'first', found[2]} end
  return {'answered', found[3]}`;
const recordAnswer = `
  if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSETNX', KEYS[1], 'answer', ARGV[1]) end
  return 1`;

/** By the name under which the connection knows them; it sends their text once. */
const scripts = {
  chainfoldAdmit: { keys: 2, lua: admit },
  chainfoldClaim: { keys: 1, lua: claimKey },
  chainfoldRecord: { keys: 1, lua: recordAnswer },
} as const;

type Claim = Awaited<ReturnType<Limiter['claimIdempotencyKey']>>;
const claimOf = ([kind, detail = '']: readonly string[]): Claim => {
  if (kind === 'first') return { kind, seed: detail };
  return kind === 'answered' ? { kind, answer: detail } : { kind: 'other-request' };
};

/** The answer of the script: replayed or not, allowed or not, then for each window what is used and when it ends. */
const quotaIn = ([, allowed, ...usage]: readonly number[], { limits, cost }: Charge) => {
  const used = windows.map((window, i) => [window, { used: usage[2 * i] as number, end: usage[2 * i + 1] as number }]);
  return quotaOf(limits, Object.fromEntries(used), { now: 0, cost, allowed: allowed === 1 });
};

const keys = {
  nonce: (apiKey: string, nonce: string) => `chainfold:nonce:${apiKey}:${nonce}`,
  rate: (organizationId: string, chain: string) => `chainfold:rate:${organizationId}:${chain}`,
  answer: (apiKey: string, key: string) => `chainfold:answer:${apiKey}:${key}`,
};

/** What a key says, and its time to live. */
const memoryOf = async (redis: Redis, key: string): Promise<Memory | null> => {
  const [, kind = '', apiKey = ''] = key.split(':', 3);
  const rest = key.slice(`chainfold:${kind}:${apiKey}:`.length);
  if (kind === 'nonce') return { kind, apiKey, nonce: rest };
  const { request, seed, answer = null } = await redis.hgetall(key);
  const leftMs = await redis.pttl(key);
  // It may have been forgotten since it was found.
  if (kind !== 'answer' || request === undefined || seed === undefined) return null;
  return { kind, apiKey, idempotencyKey: rest, request, seed, answer, time: Date.now() - answerKeptMs + leftMs };
};

const memoriesIn = async function* (redis: Redis) {
  for (const pattern of [keys.nonce('*', '*'), keys.answer('*', '*')])
    for await (const found of redis.scanStream({ match: pattern, count: 1000 }))
      yield (await Promise.all((found as string[]).map((key) => memoryOf(redis, key)))).flatMap((one) => one ?? []);
};

const remember = async (redis: Redis, memories: readonly Memory[]) => {
  const batch = redis.multi();
  for (const memory of memories) {
    if (memory.kind === 'nonce') batch.set(keys.nonce(memory.apiKey, memory.nonce), 'moved', 'PX', nonceKeptMs);
    else {
      const { apiKey, idempotencyKey, request, seed, answer, time } = memory;
      const key = keys.answer(apiKey, idempotencyKey);
      batch.hset(key, { request, seed, ...(answer !== null && { answer }) });
      batch.pexpire(key, Math.max(1, time + answerKeptMs - Date.now()));
    }
  }
  await batch.exec();
};

/** One round trip a question, exact for all processes that share the Redis. */
export const redisLimiter = async (url: string, log: Log): Promise<Limiter> => {
  const redis = await connectRedis(url, log);
  for (const [name, { keys, lua }] of Object.entries(scripts)) redis.defineCommand(name, { numberOfKeys: keys, lua });
  const run = (name: keyof typeof scripts, ...given: (string | number)[]) =>
    (redis as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)
      [name]?.(...given)
      .catch(unavailable('Redis'));

  /** Without a token nothing is spent. */
  const admitBy = async (nonce: string, token: string, charge?: Charge) => {
    const now = Date.now();
    return (await run(
      'chainfoldAdmit',
      nonce,
      keys.rate(charge?.organizationId ?? '', charge?.chain ?? ''),
      token,
      nonceKeptMs,
      charge?.cost ?? 0,
      ...windows.map((window) => charge?.limits[window] ?? 0),
      ...[0, 1, 2].map((later) => monthStart(now, later)),
    )) as number[];
  };

  return {
    admit: async ({ apiKey, nonce, charge }) => {
      const answer = await admitBy(keys.nonce(apiKey, nonce), randomUUID(), charge);
      const replayed = answer[0] === 1;
      return { replayed, quota: charge && !replayed ? quotaIn(answer, charge) : null };
    },
    charge: async (charge) => quotaIn(await admitBy(keys.nonce('', ''), '', charge), charge),
    claimIdempotencyKey: async (apiKey, idempotencyKey, request) => {
      const key = keys.answer(apiKey, idempotencyKey);
      return claimOf((await run('chainfoldClaim', key, request, answerKeptMs, randomUUID())) as string[]);
    },
    recordAnswer: async (apiKey, idempotencyKey, answer) => {
      await run('chainfoldRecord', keys.answer(apiKey, idempotencyKey), answer);
    },
    memories: () => memoriesIn(redis),
    remember: (memories) => remember(redis, memories).catch(unavailable('Redis')),
    close: async () => redis.disconnect(),
  };
};
