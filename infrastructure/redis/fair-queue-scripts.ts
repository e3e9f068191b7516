/**
 * Head start in ms of a lane or organization that was idle: its turn comes before the turns of all lanes or
 * organizations that were served within this time.
 */
const creditMs = 10_000;
/**
 * Age in ms after which a shift unknown to BullMQ counts as lost: it was never added to BullMQ, or its end was not
 * reported to these scripts.
 */
const shiftLostMs = 3000;
const workerLostMs = 5000;

/**
 * Functions shared by all scripts. A job waits in the sorted set of its lane; a lane's name begins with its
 * organization. The set `lanes` of an organization contains its lanes that have waiting jobs and a free slot. The score
 * of a lane is its turn: the time when its first job is due or, if later, the time when the lane was last served. A
 * lane that was idle gets a turn `creditMs` before the present for a job that is already due. The set `organizations`
 * contains the organizations that have such lanes and a free slot, also scored by turn. All times come from Redis, so
 * that processes with different clocks agree on which jobs are due. The scripts are idempotent, because a call is
 * resent after a broken connection.
 */
const prelude = `
  local root = KEYS[1]
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function waiting(lane) return root .. ':waiting:' .. lane end
  local function shiftKey(shift) return root .. ':shift:' .. shift end
  local function ownerOf(lane) return string.match(lane, '^%S*') end
  local function lanesOf(owner) return root .. ':lanes:' .. owner end
  local function left(limit, name)
    return tonumber(redis.call('GET', root .. limit) or 1e9) - (redis.call('HGET', root .. ':busy', name) or 0)
  end
  local function room(lane) return left(':per-lane', lane) end
  local function roomOf(owner) return left(':per-organization', owner) end

  -- A lane or organization keeps its turn if the turn is not later than this time.
  local function advance(set, name, at, turn)
    local before = redis.call('ZSCORE', set, name)
    if not before or tonumber(before) > at then redis.call('ZADD', set, turn, name) end
  end
  local function call(lane, at, turn)
    local owner = ownerOf(lane)
    if room(lane) > 0 then advance(lanesOf(owner), lane, at, turn) end
    if roomOf(owner) > 0 and room(lane) > 0 then advance(root .. ':organizations', owner, at, turn) end
  end
  -- Queues an organization that may have a free slot for its first lane again.
  local function callOwner(owner)
    local first = redis.call('ZRANGE', lanesOf(owner), 0, 0, 'WITHSCORES')[2]
    local turn = first and math.max(math.ceil(first), now)
    if turn and roomOf(owner) > 0 then advance(root .. ':organizations', owner, turn, turn) end
  end
  local function busier(name, by)
    if redis.call('HINCRBY', root .. ':busy', name, by) <= 0 then redis.call('HDEL', root .. ':busy', name) end
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
    redis.call('SREM', root .. ':again', id)
  end

  -- Releases the job of a shift. The job waits again if a time is given or it was put while running; otherwise it is removed.
  local function letGo(shift, id, lane, at)
    if redis.call('SREM', root .. ':again', id) == 1 then at = now end
    redis.call('DEL', shiftKey(shift))
    busier(lane, -1)
    busier(ownerOf(lane), -1)
    if at and redis.call('SISMEMBER', root .. ':removed', id) == 0 then redis.call('ZADD', waiting(lane), at, id)
    else drop(id) end
    local first = redis.call('ZRANGE', waiting(lane), 0, 0, 'WITHSCORES')[2]
    if first then
      local turn = math.max(math.ceil(first), now)
      call(lane, turn, turn)
    end
    callOwner(ownerOf(lane))
  end
`;

const put = `${prelude}
  local due, dueOf = 0, {}
  local function wait(id, lane, at, score)
    redis.call('ZADD', waiting(lane), score, id)
    local owner = ownerOf(lane)
    if at <= now and room(lane) > 0 and (dueOf[owner] or 0) < roomOf(owner) then
      due = due + 1
      dueOf[owner] = (dueOf[owner] or 0) + 1
    end
    call(lane, at, at <= now and now - ${creditMs} or at)
  end
  for i = 1, #ARGV, 3 do
    local id, lane, at = ARGV[i], ARGV[i + 1], math.max(tonumber(ARGV[i + 2]), now)
    -- The score is slightly earlier than the time, so that jobs of one call keep their order.
    local score = at - (#ARGV - i) / 3 / 4096
    if redis.call('HSETNX', root .. ':lane-of', id, lane) == 1 then wait(id, lane, at, score)
    else
      local own = redis.call('HGET', root .. ':lane-of', id)
      local before = redis.call('ZSCORE', waiting(own), id)
      if not before then
        redis.call('SREM', root .. ':removed', id)
        redis.call('SADD', root .. ':again', id)
      elseif at < math.floor(before) then wait(id, own, at, score) end
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
  -- Moves an organization behind all that were served before, including those of this call.
  local function requeue(owner)
    local following = redis.call('ZRANGE', lanesOf(owner), 0, 0, 'WITHSCORES')[2]
    if following and roomOf(owner) > 0 then
      local turn = math.max(tonumber(following), now + math.min(picks / 4096, 0.9))
      redis.call('ZADD', root .. ':organizations', turn, owner)
    else
      redis.call('ZREM', root .. ':organizations', owner)
    end
  end
  -- Returns the next lane and its organization. An organization without a due lane gets the turn of its first lane.
  local function turn()
    while true do
      local owner = redis.call('ZRANGEBYSCORE', root .. ':organizations', '-inf', '(' .. now + 1, 'LIMIT', 0, 1)[1]
      if not owner then return end
      local lane = redis.call('ZRANGEBYSCORE', lanesOf(owner), '-inf', '(' .. now + 1, 'LIMIT', 0, 1)[1]
      if lane and roomOf(owner) > 0 then return lane, owner end
      requeue(owner)
    end
  end
  local function pick()
    while true do
      local lane, owner = turn()
      if not lane then return '', '' end
      local first = redis.call('ZRANGE', waiting(lane), 0, 1, 'WITHSCORES')
      local isDue = first[1] and tonumber(first[2]) <= now and room(lane) > 0
      if isDue then
        redis.call('ZREM', waiting(lane), first[1])
        busier(lane, 1)
        busier(owner, 1)
      end
      -- The lane moves behind all that were served before, including those of this call.
      picks = picks + 1
      local following = first[isDue and 4 or 2]
      if following and room(lane) > 0 then
        local turn = math.max(math.ceil(following), now + math.min(picks / 4096, 0.9))
        redis.call('ZADD', lanesOf(owner), turn, lane)
      else
        redis.call('ZREM', lanesOf(owner), lane)
      end
      requeue(owner)
      if isDue then return first[1], lane end
    end
  end

  local function step(shift, holder, finished, again, goesOn)
    if not redis.call('ZSCORE', root .. ':shifts', shift) then return '', '' end
    local held = redis.call('HMGET', shiftKey(shift), 'job', 'lane', 'holder')
    local job, lane = held[1], held[2]
    -- Another worker took over the shift, because this one did not renew its lock.
    if job and finished ~= '' and held[3] ~= holder then return '', '' end
    if job and job == finished then
      letGo(shift, job, lane, again ~= '' and math.max(tonumber(again), now))
      job = false
    end
    -- A job that is still held belongs to a dead holder, or this call is a resend.
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
  local worker, atOnce, perOrganization, perLane, shiftKeys = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
  redis.call('HSET', root .. ':workers', worker, table.concat({ atOnce, perOrganization, string.format('%.0f', now) }, ' '))
  local places, organizationPlaces = 0, 0
  local workers = redis.call('HGETALL', root .. ':workers')
  for i = 1, #workers, 2 do
    local own, ofOrganization, seen = string.match(workers[i + 1], '(%d+) (%d+) (%d+)')
    if now - seen > ${workerLostMs} then redis.call('HDEL', root .. ':workers', workers[i])
    else
      places = places + own
      organizationPlaces = organizationPlaces + ofOrganization
    end
  end
  redis.call('SET', root .. ':places', places)
  local limits = redis.call('MGET', root .. ':per-organization', root .. ':per-lane')
  if limits[1] ~= tostring(organizationPlaces) or limits[2] ~= perLane then
    redis.call('MSET', root .. ':per-organization', organizationPlaces, root .. ':per-lane', perLane)
    for _, name in ipairs(redis.call('HKEYS', root .. ':busy')) do
      if redis.call('ZCARD', waiting(name)) > 0 then call(name, now, now) else callOwner(name) end
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
  local function firstDue(set) return redis.call('ZRANGEBYSCORE', set, '-inf', now, 'LIMIT', 0, math.max(0, free)) end
  for _, owner in ipairs(firstDue(root .. ':organizations')) do
    if due >= free then break end
    local own = 0
    for _, lane in ipairs(firstDue(lanesOf(owner))) do
      if own >= roomOf(owner) then break end
      own = own + math.min(room(lane), redis.call('ZCOUNT', waiting(lane), '-inf', now))
    end
    due = due + math.min(own, roomOf(owner))
  end
  begin(due)
  local later = redis.call('ZRANGEBYSCORE', root .. ':organizations', '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return { begun, later[2] or '' }`;

/** Scripts by command name. The connection sends the text of each only once. */
export const scripts = {
  chainfoldJobsPut: put,
  chainfoldJobsRemove: remove,
  chainfoldJobsStep: step,
  chainfoldJobsTend: tend,
};
