import { randomUUID } from 'node:crypto';
import type { Limiter } from '../../application/ports/limiter.js';
import type { Log } from '../../application/ports/system.js';
import { unavailable } from '../unavailable.js';
import { connectRedis } from './connection.js';

/** Twice the window in which a nonce is accepted, so that a clock set back does not make old ones new. */
const nonceKeptMs = 600_000;
const answerKeptMs = 86_400_000;

/** The connection sends a command again when it broke before the answer; the claimant's own token makes that harmless. */
const claimNonce = `
  if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
  if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end
  return 0`;
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

type Claim = Awaited<ReturnType<Limiter['claimIdempotencyKey']>>;
const claimOf = ([kind, detail = '']: readonly string[]): Claim => {
  if (kind === 'first') return { kind, seed: detail };
  return kind === 'answered' ? { kind, answer: detail } : { kind: 'other-request' };
};

/** One round trip a question, exact for all processes that share the Redis. */
export const redisLimiter = async (url: string, log: Log): Promise<Limiter> => {
  const redis = await connectRedis(url, log);
  const nonceKey = (apiKey: string, nonce: string) => `chainfold:nonce:${apiKey}:${nonce}`;
  const answerKey = (apiKey: string, key: string) => `chainfold:answer:${apiKey}:${key}`;
  const run = (script: string, key: string, ...args: (string | number)[]) =>
    redis.eval(script, 1, key, ...args).catch(unavailable('Redis'));

  return {
    claimNonce: async (apiKey, nonce) =>
      (await run(claimNonce, nonceKey(apiKey, nonce), randomUUID(), nonceKeptMs)) === 1,
    claimIdempotencyKey: async (apiKey, idempotencyKey, request) =>
      claimOf(
        (await run(claimKey, answerKey(apiKey, idempotencyKey), request, answerKeptMs, randomUUID())) as string[],
      ),
    recordAnswer: async (apiKey, idempotencyKey, answer) => {
      await run(recordAnswer, answerKey(apiKey, idempotencyKey), answer);
    },
    close: async () => redis.disconnect(),
  };
};
