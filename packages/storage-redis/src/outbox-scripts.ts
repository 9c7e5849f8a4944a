/**
 * The scripts of the capability `outbox`. An event is a hash, `event:<id>`; the sorted sets `events` and
 * `event-expiries` have its id, with the time when it is due and when it expires. All of them are in the slot
 * of the users, whose scripts store events.
 */

const SHARED = `
local prefix = KEYS[1]
local due, expiries = prefix .. 'events', prefix .. 'event-expiries'
`

/** The scripts of steps, by the scripts that store no events. */
const steps = new Map<string, string>()

/**
 * Makes a script store events in its step, unless it returns 0 or nil. Its last argument is then a list of
 * events as JSON, each with its id, the fields of its hash, the times when it is due and expires, and the
 * seconds to keep it.
 */
export function withEvents(script: string): string {
  const step = steps.get(script) ?? toStep(script, '')
  steps.set(script, step)
  return step
}

/** As {@link withEvents}, for a script that returns the ids of the sessions that it has deleted. */
export function withSessionEvents(script: string): string {
  const step =
    steps.get(script) ??
    toStep(script, `redis.call('HSET', key, 'sessionIds', '[' .. table.concat(result, ',') .. ']')`)
  steps.set(script, step)
  return step
}

function toStep(script: string, addition: string): string {
  return `${SHARED}
local events = cjson.decode(table.remove(ARGV))
local function step()
${script}
end
local result = step()
if not result or result == 0 then return result end
for _, event in ipairs(events) do
  local id, fields, dueAt, expires, ttl = unpack(event)
  local key = prefix .. 'event:' .. id
  redis.call('HSET', key, unpack(cjson.decode(fields)))
  redis.call('EXPIRE', key, ttl)
  redis.call('ZADD', due, dueAt, id)
  redis.call('ZADD', expiries, expires, id)
  for _, set in ipairs({due, expiries}) do
    redis.call('EXPIRE', set, math.max(ttl, redis.call('TTL', set)))
  end
  ${addition}
end
return result
`
}

/** Arguments: the maximum number of events, the time, the end of the lease. */
export const takeEvents: string = `${SHARED}
local limit, now, lease = unpack(ARGV)
local taken, offset = {}, 0
repeat
  local ids = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', offset, 100)
  for _, id in ipairs(ids) do
    local expires = tonumber(redis.call('ZSCORE', expiries, id) or 0)
    if expires > tonumber(now) and #taken < tonumber(limit) then table.insert(taken, id) end
  end
  offset = offset + #ids
until #ids == 0 or #taken == tonumber(limit)
local events = {}
for _, id in ipairs(taken) do
  local key = prefix .. 'event:' .. id
  redis.call('ZADD', due, lease, id)
  redis.call('HINCRBY', key, 'attempts', 1)
  table.insert(events, redis.call('HGETALL', key))
end
return events
`

/** Arguments: the event, the number of attempts that it must have, the time when it is due. */
export const postponeEvent: string = `${SHARED}
local id, attempts, dueAt = unpack(ARGV)
if redis.call('HGET', prefix .. 'event:' .. id, 'attempts') ~= attempts then return 0 end
redis.call('ZADD', due, dueAt, id)
return 1
`

/** Arguments: the events. */
export const deleteEvents: string = `${SHARED}
for _, id in ipairs(ARGV) do
  redis.call('DEL', prefix .. 'event:' .. id)
  redis.call('ZREM', due, id)
  redis.call('ZREM', expiries, id)
end
return 1
`

/** Arguments: the maximum number of events, the time. */
export const purgeEvents: string = `${SHARED}
local limit, now = unpack(ARGV)
local events = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, limit)) do
  local key = prefix .. 'event:' .. id
  local event = redis.call('HGETALL', key)
  if #event > 0 then table.insert(events, event) end
  redis.call('DEL', key)
  redis.call('ZREM', due, id)
  redis.call('ZREM', expiries, id)
end
return events
`
