import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { nonceWindowMs, retentionMs } from '../../application/access/request-nonces.js';
import type { Charge, Limiter, RequestRecord } from '../../application/ports/limiter.js';
import type { Log } from '../../application/ports/system.js';
import { monthStart, quotaOf, windows } from '../../domain/rate-limit.js';
import { TimedOut } from '../deadline.js';
import { type Deadlines, defaultDeadlines } from '../deadlines.js';
import { unavailable } from '../unavailable.js';
import { connectRedis, resendOverRestart, rootIn } from './connection.js';

/**
 * Milliseconds for which a span, a time range of nonces, is kept after its last use. No client holds a nonce of the
 * span after that.
 */
const spanTtlMs = 900_000;
/**
 * Milliseconds for which a used nonce is kept. After that, the nonce is rejected anyway: its span has expired, or the
 * span already has nonces so much later that this one counts as too old.
 */
const nonceTtlMs = spanTtlMs + retentionMs + 2 * nonceWindowMs;
export const answerTtlMs = 86_400_000;

/**
 * Spends a nonce and charges the rate-limit windows. Windows follow the clock of Redis, so that processes whose clocks
 * differ share them. Months differ in length, so the caller passes the start of this month and of the next two. The
 * connection resends a command whose answer was lost: the caller's token makes the second run idempotent and records
 * whether the first one was rejected. A span that has expired, or that Redis has lost, admits no nonce.
 */
const admit = `
  local token, kept, cost = ARGV[1], ARGV[2], tonumber(ARGV[3])
  local refusal = token .. ':refused'
  local resent, allowed = false, 1
  if ARGV[12] ~= '' and redis.call('PEXPIRE', KEYS[3], ARGV[12]) == 0 then return {2} end
  if token ~= '' and not redis.call('SET', KEYS[1], token, 'NX', 'PX', kept) then
    local first = redis.call('GET', KEYS[1])
    if first ~= token and first ~= refusal then return {1} end
    if first == refusal then allowed = 0 end
    resent = true
  end
  if cost == 0 then return {0} end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local held = redis.call('HMGET', KEYS[2], 's1', 's2', 's3', 's4', 'c1', 'c2', 'c3', 'c4')
  local starts, ends, used = {}, {}, {}
  for i, length in ipairs({1000, 3600000, 86400000}) do
    starts[i] = now - now % length
    ends[i] = starts[i] + length
  end
  local month = now < tonumber(ARGV[9]) and 8 or 9
  starts[4], ends[4] = tonumber(ARGV[month]), tonumber(ARGV[month + 1])
  for i = 1, 4 do
    used[i] = tonumber(held[i]) == starts[i] and tonumber(held[i + 4]) or 0
    if not resent and ARGV[11] == '0' and used[i] + cost > tonumber(ARGV[i + 3]) then allowed = 0 end
  end
  if allowed == 1 and not resent then
    for i = 1, 4 do
      used[i] = used[i] + cost
      redis.call('HSET', KEYS[2], 's' .. i, string.format('%.0f', starts[i]), 'c' .. i, string.format('%.0f', used[i]))
    end
    redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', ends[4]))
  end
  if allowed == 0 and token ~= '' then redis.call('SET', KEYS[1], refusal, 'PX', kept) end
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

/** Scripts by command name. The connection sends the text of each only once. */
const scripts = {
  chainfoldAdmit: { keys: 3, lua: admit },
  chainfoldClaim: { keys: 1, lua: claimKey },
  chainfoldRecord: { keys: 1, lua: recordAnswer },
} as const;

type Claim = Awaited<ReturnType<Limiter['claimIdempotencyKey']>>;
const claimOf = ([kind, detail = '']: readonly string[]): Claim => {
  if (kind === 'first') return { kind, seed: detail };
  return kind === 'answered' ? { kind, answer: detail } : { kind: 'other-request' };
};

/**
 * Reads the quota from the script's answer: a status, whether the call is allowed, then usage and remaining
 * milliseconds of each window.
 */
const quotaIn = ([, allowed, ...usage]: readonly number[], { limits, cost }: Charge) => {
  const used = windows.map((window, i) => [window, { used: usage[2 * i] as number, end: usage[2 * i + 1] as number }]);
  return quotaOf(limits, Object.fromEntries(used), { now: 0, cost, allowed: allowed === 1 });
};

const keysIn = (root: string) => ({
  nonce: (apiKey: string, nonce: string) => `${root}:nonce:${apiKey}:${nonce}`,
  rate: (organizationId: string, chain: string) => `${root}:rate:${organizationId}:${chain}`,
  answer: (apiKey: string, key: string) => `${root}:answer:${apiKey}:${key}`,
  span: (id: string) => `${root}:span:${id}`,
});
type Keys = ReturnType<typeof keysIn>;

/** Reads the RequestRecord that is stored under a key; null when the key has expired. */
const readRecord = async (redis: Redis, root: string, key: string): Promise<RequestRecord | null> => {
  const [kind = '', apiKey = ''] = key.slice(root.length + 1).split(':', 2);
  const rest = key.slice(`${root}:${kind}:${apiKey}:`.length);
  if (kind === 'nonce') return { kind, apiKey, nonce: rest };
  const { request, seed, answer = null } = await redis.hgetall(key);
  const leftMs = await redis.pttl(key);
  // The key may have expired since it was scanned.
  if (kind !== 'answer' || request === undefined || seed === undefined) return null;
  return { kind, apiKey, idempotencyKey: rest, request, seed, answer, time: Date.now() - answerTtlMs + leftMs };
};

const recordsIn = async function* (redis: Redis, root: string) {
  const keys = keysIn(root);
  for (const pattern of [keys.nonce('*', '*'), keys.answer('*', '*')])
    for await (const found of redis.scanStream({ match: pattern, count: 1000 }))
      yield (await Promise.all((found as string[]).map((key) => readRecord(redis, root, key)))).flatMap(
        (one) => one ?? [],
      );
};

const importRecords = async (redis: Redis, keys: Keys, records: readonly RequestRecord[]) => {
  const batch = redis.multi();
  for (const record of records) {
    if (record.kind === 'nonce') batch.set(keys.nonce(record.apiKey, record.nonce), 'moved', 'PX', nonceTtlMs);
    else {
      const { apiKey, idempotencyKey, request, seed, answer, time } = record;
      const key = keys.answer(apiKey, idempotencyKey);
      batch.hset(key, { request, seed, ...(answer !== null && { answer }) });
      batch.pexpire(key, Math.max(1, time + answerTtlMs - Date.now()));
    }
  }
  await batch.exec();
};

/** Creates a limiter in Redis: one round trip per call, exact for all processes that share the server. */
export const redisLimiter = async (
  url: string,
  log: Log,
  namespace = '',
  { deadlineMs }: Pick<Deadlines, 'deadlineMs'> = defaultDeadlines,
): Promise<Limiter> => {
  const redis = await connectRedis(url, log, deadlineMs, resendOverRestart);
  const failed = (cause: Error) =>
    unavailable('Redis')(cause.message === 'Command timed out' ? new TimedOut(deadlineMs, { cause }) : cause);
  const root = rootIn(namespace);
  const keys = keysIn(root);
  for (const [name, { keys: numberOfKeys, lua }] of Object.entries(scripts))
    redis.defineCommand(name, { numberOfKeys, lua });
  const run = (name: keyof typeof scripts, ...given: (string | number)[]) =>
    (redis as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[name]?.(...given).catch(failed);

  /** Charges the quota if `charge` is given, and marks the nonce as used by `token` unless `token` is empty. */
  const admitBy = async (nonce: string, token: string, charge?: Charge, span?: string) => {
    const now = Date.now();
    return (await run(
      'chainfoldAdmit',
      nonce,
      keys.rate(charge?.organizationId ?? '', charge?.chain ?? ''),
      keys.span(span ?? ''),
      token,
      nonceTtlMs,
      charge?.cost ?? 0,
      ...windows.map((window) => charge?.limits[window] ?? 0),
      ...[0, 1, 2].map((later) => monthStart(now, later)),
      charge?.overdraws ? 1 : 0,
      span === undefined ? '' : spanTtlMs,
    )) as number[];
  };

  return {
    admit: async ({ apiKey, nonce, charge, span }) => {
      const answer = await admitBy(keys.nonce(apiKey, nonce), randomUUID(), charge, span);
      const isAdmitted = answer[0] === 0;
      const [replayed, isSpanUnknown] = [answer[0] === 1, answer[0] === 2];
      return { replayed, isSpanUnknown, quota: charge && isAdmitted ? quotaIn(answer, charge) : null };
    },
    openSpan: async (id) => {
      await redis.set(keys.span(id), 1, 'PX', spanTtlMs).catch(failed);
    },
    charge: async (charge) => quotaIn(await admitBy(keys.nonce('', ''), '', charge), charge),
    claimIdempotencyKey: async (apiKey, idempotencyKey, request) => {
      const key = keys.answer(apiKey, idempotencyKey);
      return claimOf((await run('chainfoldClaim', key, request, answerTtlMs, randomUUID())) as string[]);
    },
    recordAnswer: async (apiKey, idempotencyKey, answer) => {
      await run('chainfoldRecord', keys.answer(apiKey, idempotencyKey), answer);
    },
    exportRecords: () => recordsIn(redis, root),
    importRecords: (records) => importRecords(redis, keys, records).catch(failed),
    close: async () => redis.disconnect(),
  };
};
