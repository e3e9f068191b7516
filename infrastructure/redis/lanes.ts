import type { Redis } from 'ioredis';
import type { Job } from '../../application/ports/jobs.js';
import { unavailable } from '../unavailable.js';

/** The right to do jobs of a lane, one after the other. */
export type Visit = { readonly id: string; readonly lane: string };

/** What a visitor did, and whether it wants to do another job. `holder` tells it from one that had the visit before. */
export type Step = {
  readonly visit: string;
  readonly holder: string;
  /** The job it did, and when that is to be done again if at all. */
  readonly finished: string;
  readonly again: number | null;
  readonly goesOn: boolean;
};

const root = 'chainfold:jobs';
/** A visit that BullMQ has not heard of for so long never reached it, or its end was not told. */
const visitLostMs = 3000;

/**
 * A job waits in the sorted set of its lane until a visit takes it. A lane has as many visits as it has jobs due, up to
 * the limit of one lane; its place in `lanes` says when it needs the next. By the clock of Redis, so that nodes whose
 * clocks differ agree on what is due. A call that is sent again after the connection broke changes nothing.
 */
const prelude = `
  local root = KEYS[1]
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local called = {}
  local function waiting(lane) return root .. ':waiting:' .. lane end
  local function visitKey(visit) return root .. ':visit:' .. visit end

  local function call(lane, wanted)
    local limit = tonumber(redis.call('GET', root .. ':per-lane') or 1)
    local room = limit - tonumber(redis.call('HGET', root .. ':visiting', lane) or 0)
    local since = tonumber(redis.call('ZSCORE', root .. ':lanes', lane) or now + 1)
    if since <= now then wanted = wanted + redis.call('ZCOUNT', waiting(lane), since, now) end
    for _ = 1, math.min(room, wanted) do
      local visit = 'visit-' .. redis.call('INCR', root .. ':sequence')
      redis.call('HSET', visitKey(visit), 'lane', lane)
      redis.call('ZADD', root .. ':visits', now, visit)
      redis.call('HINCRBY', root .. ':visiting', lane, 1)
      called[#called + 1] = visit
      called[#called + 1] = lane
    end
    -- Where there is no room, the end of a visit asks again.
    local later = {}
    if wanted < room then
      later = redis.call('ZRANGEBYSCORE', waiting(lane), '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    end
    if later[2] then redis.call('ZADD', root .. ':lanes', later[2], lane)
    else redis.call('ZREM', root .. ':lanes', lane) end
  end

  local function drop(id)
    redis.call('HDEL', root .. ':lane-of', id)
    redis.call('SREM', root .. ':removed', id)
  end

  local function putBack(id, lane, at)
    if redis.call('SISMEMBER', root .. ':removed', id) == 1 then drop(id)
    else redis.call('ZADD', waiting(lane), at, id) end
  end

  local function endVisit(visit, lane)
    redis.call('DEL', visitKey(visit))
    redis.call('ZREM', root .. ':visits', visit)
    if not lane then return end
    if redis.call('HINCRBY', root .. ':visiting', lane, -1) <= 0 then redis.call('HDEL', root .. ':visiting', lane) end
    call(lane, redis.call('ZCOUNT', waiting(lane), '-inf', now))
  end
`;

const put = `${prelude}
  local fresh = {}
  for i = 1, #ARGV, 3 do
    local id, lane, at = ARGV[i], ARGV[i + 1], math.max(tonumber(ARGV[i + 2]), now)
    if redis.call('HSETNX', root .. ':lane-of', id, lane) == 1 then
      -- A hair before its time, so that those put together keep their order.
      redis.call('ZADD', waiting(lane), at - (#ARGV - i) / 3 / 4096, id)
      fresh[lane] = (fresh[lane] or 0) + (at <= now and 1 or 0)
    else
      redis.call('SREM', root .. ':removed', id)
    end
  end
  for lane, wanted in pairs(fresh) do call(lane, wanted) end
  return called`;

const remove = `${prelude}
  for _, id in ipairs(ARGV) do
    local lane = redis.call('HGET', root .. ':lane-of', id)
    if lane and redis.call('ZREM', waiting(lane), id) == 1 then drop(id)
    elseif lane then redis.call('SADD', root .. ':removed', id) end
  end
  return called`;

const step = `${prelude}
  local function step(visit, holder, finished, again, goesOn)
    local held = redis.call('HMGET', visitKey(visit), 'lane', 'holder', 'job')
    local lane, job = held[1], held[3]
    -- The visit has ended, or another has it because this one was silent for too long.
    if not lane or (finished ~= '' and held[2] ~= holder) then return '' end
    if job and job == finished then
      redis.call('HDEL', visitKey(visit), 'job')
      job = false
      if again == '' then drop(finished)
      else
        putBack(finished, lane, math.max(tonumber(again), now))
        call(lane, 0)
      end
    end
    -- A job that is still in hand is that of a visitor who died, or this very call was sent before.
    if goesOn == '1' then job = job or redis.call('ZRANGEBYSCORE', waiting(lane), '-inf', now, 'LIMIT', 0, 1)[1]
    elseif job then
      putBack(job, lane, now)
      job = false
    end
    if not job then
      endVisit(visit, lane)
      return ''
    end
    redis.call('ZREM', waiting(lane), job)
    redis.call('HSET', visitKey(visit), 'holder', holder, 'job', job)
    return job
  end
  local jobs = {}
  for i = 1, #ARGV, 5 do
    jobs[#jobs + 1] = step(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
  end
  return { called, jobs }`;

const tend = `${prelude}
  -- More may be done of a lane than before this worker was there.
  if redis.call('GET', root .. ':per-lane') ~= ARGV[1] then
    redis.call('SET', root .. ':per-lane', ARGV[1])
    for _, lane in ipairs(redis.call('HKEYS', root .. ':visiting')) do
      call(lane, redis.call('ZCOUNT', waiting(lane), '-inf', now))
    end
  end
  for _, lane in ipairs(redis.call('ZRANGEBYSCORE', root .. ':lanes', '-inf', now, 'LIMIT', 0, 500)) do call(lane, 0) end
  for _, visit in ipairs(redis.call('ZRANGEBYSCORE', root .. ':visits', '-inf', now - ${visitLostMs}, 'LIMIT', 0, 200)) do
    if redis.call('EXISTS', ARGV[2] .. visit) == 1 then redis.call('ZADD', root .. ':visits', now, visit)
    else
      local held = redis.call('HMGET', visitKey(visit), 'lane', 'job')
      if held[2] then putBack(held[2], held[1], now) end
      endVisit(visit, held[1])
    end
  end
  local first = redis.call('ZRANGE', root .. ':lanes', 0, 0, 'WITHSCORES')
  return { called, first[2] or '' }`;

/** By the name under which the connection knows them; it sends their text once. */
const scripts = {
  chainfoldJobsPut: put,
  chainfoldJobsRemove: remove,
  chainfoldJobsStep: step,
  chainfoldJobsTend: tend,
};

const visitsIn = (called: readonly string[]): Visit[] =>
  called.flatMap((id, i) => (i % 2 === 0 ? [{ id, lane: called[i + 1] as string }] : []));

/** Which jobs wait in which lane and who may do them. Every answer names the visits it called for: BullMQ is to have them. */
export const createLanes = (redis: Redis) => {
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { numberOfKeys: 1, lua });
  const run = async <T>(name: keyof typeof scripts, given: readonly (string | number)[]): Promise<T> => {
    const known = redis as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    return (await known[name]?.(root, ...given).catch(unavailable('Redis'))) as T;
  };
  return {
    put: async (jobs: readonly (Job & { readonly at: number })[]) => {
      const given = jobs.flatMap(({ id, lane, at }) => [id, lane, at]);
      return visitsIn(await run<string[]>('chainfoldJobsPut', given));
    },
    remove: (ids: readonly string[]) => run<string[]>('chainfoldJobsRemove', ids),
    /** The job that each is to do next; empty when its visit has ended. */
    step: async (steps: readonly Step[]) => {
      const given = steps.flatMap(({ visit, holder, finished, again, goesOn }) => [
        visit,
        holder,
        finished,
        again ?? '',
        goesOn ? 1 : 0,
      ]);
      const [called, jobs] = await run<[string[], string[]]>('chainfoldJobsStep', given);
      return { called: visitsIn(called), jobs };
    },
    /** Calls visits for what came due and for those that were lost. `next` is when a lane needs the next. */
    tend: async (perLane: number, visitKeys: string) => {
      const [called, next] = await run<[string[], string]>('chainfoldJobsTend', [perLane, visitKeys]);
      return { called: visitsIn(called), next: next === '' ? null : Number(next) };
    },
    count: () => redis.hlen(`${root}:lane-of`).catch(unavailable('Redis')),
  };
};
