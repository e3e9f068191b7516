import { answerOverhead, type FinalAnswers, isCacheable } from '../../application/ports/gateway/final-answers.js';
import type { Log } from '../../application/ports/system.js';
import { answerId } from '../answer-id.js';
import { unavailable } from '../unavailable.js';
import { connectRedis, rootIn } from './connection.js';

/**
 * Keys of the scripts: results by id, ids by time of use, and the total size in bytes, all in one slot, as Redis
 * requires of a script.
 */
const parts = ['results', 'used', 'bytes'];

const now = `
  local time = redis.call('TIME')
  local now = time[1] .. string.format('%06d', time[2])`;
const find = `${now}
  local found = {}
  for i = 1, #ARGV do
    found[i] = redis.call('HGET', KEYS[1], ARGV[i])
    if found[i] then redis.call('ZADD', KEYS[2], 'XX', now, ARGV[i]) end
  end
  return found`;
/**
 * Maximum number of answers that one call evicts, so that a call after the size limit was lowered does not block Redis.
 */
const maxDropped = 1000;
const keep = `${now}
  local most, overhead = tonumber(ARGV[1]), tonumber(ARGV[2])
  local bytes = tonumber(redis.call('GET', KEYS[3]) or '0')
  if redis.call('HLEN', KEYS[1]) == 0 then
    redis.call('DEL', KEYS[2])
    bytes = 0
  end
  for i = 3, #ARGV, 2 do
    if redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1]) == 1 then bytes = bytes + #ARGV[i + 1] + overhead end
    redis.call('ZADD', KEYS[2], now, ARGV[i])
  end
  for _ = 1, ${maxDropped} do
    if bytes <= most then break end
    local oldest = redis.call('ZPOPMIN', KEYS[2])[1]
    if not oldest then break end
    local length = redis.call('HSTRLEN', KEYS[1], oldest)
    if redis.call('HDEL', KEYS[1], oldest) == 1 then bytes = bytes - length - overhead end
  end
  redis.call('SET', KEYS[3], string.format('%.0f', bytes))
  return 1`;

type Scripts = {
  chainfoldFindAnswersBuffer(...given: (string | Buffer)[]): Promise<(Buffer | null)[]>;
  chainfoldKeepAnswers(...given: (string | number | Buffer)[]): Promise<number>;
};

const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** Creates a cache of final answers in Redis, for processes on several machines. */
export const redisFinalAnswers = async (
  url: string,
  maxBytes: number,
  log: Log,
  namespace = '',
  timeoutMs?: number,
): Promise<FinalAnswers> => {
  const redis = await connectRedis(url, log, timeoutMs);
  const keys = parts.map((part) => `${rootIn(namespace)}:{final-answers}:${part}`);
  redis.defineCommand('chainfoldFindAnswers', { numberOfKeys: keys.length, lua: find });
  redis.defineCommand('chainfoldKeepAnswers', { numberOfKeys: keys.length, lua: keep });
  const scripts = redis as unknown as Scripts;
  return {
    find: (chain, questions) =>
      scripts
        .chainfoldFindAnswersBuffer(...keys, ...questions.map((question) => answerId(chain, question)))
        .catch(unavailable('Redis')),
    keep: async (chain, answers) => {
      const kept = answers.filter((one) => isCacheable(maxBytes, one));
      const given = kept.flatMap(({ question, result }) => [answerId(chain, question), bufferOf(result)]);
      if (given.length > 0)
        await scripts.chainfoldKeepAnswers(...keys, maxBytes, answerOverhead, ...given).catch(unavailable('Redis'));
    },
    close: async () => redis.disconnect(),
  };
};
