import type { Redis } from 'ioredis';
import type { Job } from '../../application/ports/jobs.js';
import { unavailable } from '../unavailable.js';

/** What is done in a shift: a job has ended and the next is wanted. `holder` tells whose shift it is from whose it was. */
export type Step = {
  readonly shift: string;
  readonly holder: string;
  /** Empty when the shift begins. */
  readonly finished: string;
  /** When it is to be done again, if at all. */
  readonly again: number | null;
  readonly goesOn: boolean;
};

/** A process that does jobs, and where BullMQ keeps the shifts. */
type Workplace = {
  readonly worker: string;
  readonly atOnce: number;
  readonly perLane: number;
  readonly shiftKeys: string;
};

const root = 'chainfold:jobs';
/** A lane that had nothing to do goes before those that were served less than this ago, however many they are. */
const creditMs = 10_000;
/** A shift that BullMQ does not know after so long never reached it, or its end was not told. */
const shiftLostMs = 3000;
const workerLostMs = 5000;

/**
 * A job waits in the sorted set of its lane. A lane with jobs waiting and room for one more stands in `lanes` under its
 * turn: when its first job is due, or when it was last served if that is later. By the clock of Redis, so that nodes
 * whose clocks differ agree on what is due. A call that is sent again because the connection broke changes nothing.
 */
const prelude = `
  local root = KEYS[1]
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function waiting(lane) return root .. ':waiting:' .. lane end
  local function shiftKey(shift) return root .. ':shift:' .. shift end
  local function room(lane)
    return tonumber(redis.call('GET', root .. ':per-lane') or 1e9) - (redis.call('HGET', root .. ':busy', lane) or 0)
  end

  -- A lane that is called already for that time or before keeps its turn.
  local function call(lane, at, turn)
    local before = redis.call('ZSCORE', root .. ':lanes', lane)
    if room(lane) > 0 and (not before or tonumber(before) > at) then redis.call('ZADD', root .. ':lanes', turn, lane) end
  end

  local begun = {}
  local function begin(shifts)
    local free = (redis.call('GET', root .. ':places') or 0) - redis.call('ZCARD', root .. ':shifts')
    for _ = 1, math.min(free, shifts) do
      local shift = 'shift-' .. redis.call('INCR', root .. ':sequence')
      redis.call('ZADD', root .. ':shifts', now, shift)
      begun[#begun + 1] = shift
    end
  end

  local function drop(id)
    redis.call('HDEL', root .. ':lane-of', id)
    redis.call('SREM', root .. ':removed', id)
  end

  -- The job is not in hand any more; with a time it waits for that.
  local function letGo(shift, id, lane, at)
    redis.call('DEL', shiftKey(shift))
    if redis.call('HINCRBY', root .. ':busy', lane, -1) <= 0 then redis.call('HDEL', root .. ':busy', lane) end
    if at and redis.call('SISMEMBER', root .. ':removed', id) == 0 then redis.call('ZADD', waiting(lane), at, id)
    else drop(id) end
    local first = redis.call('ZRANGE', waiting(lane), 0, 0, 'WITHSCORES')[2]
    if first then
      local turn = math.max(math.ceil(first), now)
      call(lane, turn, turn)
    end
  end
`;

const put = `${prelude}
  local due = 0
  for i = 1, #ARGV, 3 do
    local id, lane, at = ARGV[i], ARGV[i + 1], math.max(tonumber(ARGV[i + 2]), now)
    if redis.call('HSETNX', root .. ':lane-of', id, lane) == 1 then
      -- A hair before its time, so that those put together keep their order.
      redis.call('ZADD', waiting(lane), at - (#ARGV - i) / 3 / 4096, id)
      if at <= now and room(lane) > 0 then due = due + 1 end
      call(lane, at, at <= now and now - ${creditMs} or at)
    else
      redis.call('SREM', root .. ':removed', id)
    end
  end
  begin(due)
  return begun`;

const remove = `${prelude}
  for _, id in ipairs(ARGV) do
    local lane = redis.call('HGET', root .. ':lane-of', id)
    if lane and redis.call('ZREM', waiting(lane), id) == 1 then drop(id)
    elseif lane then redis.call('SADD', root .. ':removed', id) end
  end
  return begun`;

const step = `${prelude}
  local picks = 0
  local function pick()
    while true do
      local lane = redis.call('ZRANGEBYSCORE', root .. ':lanes', '-inf', '(' .. now + 1, 'LIMIT', 0, 1)[1]
      if not lane then return '', '' end
      local first = redis.call('ZRANGE', waiting(lane), 0, 1, 'WITHSCORES')
      local isDue = first[1] and tonumber(first[2]) <= now and room(lane) > 0
      if isDue then
        redis.call('ZREM', waiting(lane), first[1])
        redis.call('HINCRBY', root .. ':busy', lane, 1)
      end
      -- Behind the lanes that were served before it, also within this call.
      picks = picks + 1
      local following = first[isDue and 4 or 2]
      if following and room(lane) > 0 then
        redis.call('ZADD', root .. ':lanes', math.max(math.ceil(following), now + math.min(picks / 4096, 0.9)), lane)
      else
        redis.call('ZREM', root .. ':lanes', lane)
      end
      if isDue then return first[1], lane end
    end
  end

  local function step(shift, holder, finished, again, goesOn)
    if not redis.call('ZSCORE', root .. ':shifts', shift) then return '', '' end
    local held = redis.call('HMGET', shiftKey(shift), 'job', 'lane', 'holder')
    local job, lane = held[1], held[2]
    -- Another has the shift, because this one was silent for too long.
    if job and finished ~= '' and held[3] ~= holder then return '', '' end
    if job and job == finished then
      letGo(shift, job, lane, again ~= '' and math.max(tonumber(again), now))
      job = false
    end
    -- A job that is still in hand is that of a holder who died, or this very call was sent before.
    if job and goesOn == '0' then
      letGo(shift, job, lane, now)
      job = false
    elseif not job and goesOn == '1' then
      job, lane = pick()
    end
    if not job or job == '' then
      redis.call('ZREM', root .. ':shifts', shift)
      return '', ''
    end
    redis.call('HSET', shiftKey(shift), 'job', job, 'lane', lane, 'holder', holder)
    return job, lane
  end

  local jobs = {}
  for i = 1, #ARGV, 5 do
    local job, lane = step(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
    jobs[#jobs + 1] = job
    jobs[#jobs + 1] = lane
  end
  return jobs`;

const tend = `${prelude}
  local worker, atOnce, perLane, shiftKeys = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
  redis.call('HSET', root .. ':workers', worker, atOnce .. ' ' .. string.format('%.0f', now))
  local places = 0
  local workers = redis.call('HGETALL', root .. ':workers')
  for i = 1, #workers, 2 do
    local own, seen = string.match(workers[i + 1], '(%d+) (%d+)')
    if now - seen > ${workerLostMs} then redis.call('HDEL', root .. ':workers', workers[i])
    else places = places + own end
  end
  redis.call('SET', root .. ':places', places)
  if redis.call('GET', root .. ':per-lane') ~= perLane then
    redis.call('SET', root .. ':per-lane', perLane)
    for _, lane in ipairs(redis.call('HKEYS', root .. ':busy')) do
      if redis.call('ZCARD', waiting(lane)) > 0 then call(lane, now, now) end
    end
  end

  for _, shift in ipairs(redis.call('ZRANGEBYSCORE', root .. ':shifts', '-inf', now - ${shiftLostMs}, 'LIMIT', 0, 200)) do
    if redis.call('EXISTS', shiftKeys .. shift) == 1 then redis.call('ZADD', root .. ':shifts', now, shift)
    else
      local held = redis.call('HMGET', shiftKey(shift), 'job', 'lane')
      if held[1] then letGo(shift, held[1], held[2], now) end
      redis.call('ZREM', root .. ':shifts', shift)
    end
  end

  local free = places - redis.call('ZCARD', root .. ':shifts')
  local due = 0
  for _, lane in ipairs(redis.call('ZRANGEBYSCORE', root .. ':lanes', '-inf', now, 'LIMIT', 0, math.max(0, free))) do
    due = due + math.min(room(lane), redis.call('ZCOUNT', waiting(lane), '-inf', now))
  end
  begin(due)
  local later = redis.call('ZRANGEBYSCORE', root .. ':lanes', '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return { begun, later[2] or '' }`;

/** By the name under which the connection knows them; it sends their text once. */
const scripts = {
  chainfoldJobsPut: put,
  chainfoldJobsRemove: remove,
  chainfoldJobsStep: step,
  chainfoldJobsTend: tend,
};

/** Which jobs wait in which lane, and which is to be done next. BullMQ is to have the shifts that an answer names. */
export const createLanes = (redis: Redis) => {
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { numberOfKeys: 1, lua });
  const run = async <T>(name: keyof typeof scripts, given: readonly (string | number)[]): Promise<T> => {
    const known = redis as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    return (await known[name]?.(root, ...given).catch(unavailable('Redis'))) as T;
  };
  return {
    put: (jobs: readonly (Job & { readonly at: number })[]) =>
      run<string[]>(
        'chainfoldJobsPut',
        jobs.flatMap(({ id, lane, at }) => [id, lane, at]),
      ),
    remove: (ids: readonly string[]) => run<string[]>('chainfoldJobsRemove', ids),
    /** The job that is to be done next in each shift; null when it has ended. */
    step: async (steps: readonly Step[]): Promise<(Job | null)[]> => {
      const given = steps.flatMap(({ shift, holder, finished, again, goesOn }) => [
        shift,
        holder,
        finished,
        again ?? '',
        goesOn ? 1 : 0,
      ]);
      const jobs = await run<string[]>('chainfoldJobsStep', given);
      return steps.map((_, i) => (jobs[2 * i] ? { id: jobs[2 * i] ?? '', lane: jobs[2 * i + 1] ?? '' } : null));
    },
    /** Begins shifts for what came due, and gives back what those held that were lost. `next` is when more comes due. */
    tend: async ({ worker, atOnce, perLane, shiftKeys }: Workplace) => {
      const given = [worker, atOnce, perLane, shiftKeys];
      const [begun, next] = await run<[string[], string]>('chainfoldJobsTend', given);
      return { begun, next: next === '' ? null : Number(next) };
    },
    count: () => redis.hlen(`${root}:lane-of`).catch(unavailable('Redis')),
  };
};
