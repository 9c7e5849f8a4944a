/**
 * The verbs that change something or look in two places, as Lua: Redis runs each as one step.
 *
 * `KEYS[1]` is the prefix of all keys, the others are those that are known beforehand. What a script
 * only comes upon, such as the sessions of a user, it names itself: hence the hash tag in the prefix.
 *
 * | key                              | type       | what                                     |
 * | -------------------------------- | ---------- | ---------------------------------------- |
 * | `user:<id>`                      | hash       | a user                                   |
 * | `email:<address>`                | string     | whose address it is                      |
 * | `accounts:<user>`                | list       | the user's accounts, oldest first        |
 * | `account:[<provider>,<subject>]` | hash       | an account, with `userId`                |
 * | `session:<id>`                   | hash       | a session                                |
 * | `sessions:<user>`                | sorted set | the user's sessions, by when they expire |
 * | `token:[<identifier>,<token>]`   | string     | a verification token                     |
 * | `count:<key>`                    | hash       | `count` and `resetsAt`                   |
 */

const SHARED = `
local root = KEYS[1]

local function get(key, field) return redis.call('HGET', root .. key, field) end
local function all(key) return redis.call('HGETALL', root .. key) end
local function exists(key) return redis.call('EXISTS', root .. key) == 1 end
local function forget(key) redis.call('DEL', root .. key) end

local function write(key, fields)
  local list = cjson.decode(fields)
  if #list > 0 then redis.call('HSET', root .. key, unpack(list)) end
end
`

const ACCOUNTS = `
local function link(user, account, fields)
  write('account:' .. account, fields)
  redis.call('RPUSH', root .. 'accounts:' .. user, account)
end
`

const SESSIONS = `
local function finish(session)
  local user = get('session:' .. session, 'userId')
  if user then redis.call('ZREM', root .. 'sessions:' .. user, session) end
  forget('session:' .. session)
end

-- The set of a user's sessions lives as long as the last of them. What is over is taken out of it
-- only when the server has forgotten it too.
local function enter(user, session, fields, expires, ttl, over)
  write('session:' .. session, fields)
  redis.call('EXPIRE', root .. 'session:' .. session, ttl)
  local set = root .. 'sessions:' .. user
  redis.call('ZREMRANGEBYSCORE', set, '-inf', over)
  redis.call('ZADD', set, expires, session)
  local last = redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')[2]
  redis.call('EXPIRE', set, ttl + math.max(math.ceil(last - expires), 0))
end

local function begin(user, session, fields, expires, ttl, over, replaced)
  if replaced ~= '' then finish(replaced) end
  enter(user, session, fields, expires, ttl, over)
end
`

export const createUser: string = `${SHARED}${ACCOUNTS}${SESSIONS}
local user, userFields, email, account, accountFields = unpack(ARGV, 1, 5)
if exists('user:' .. user) then return 0 end
if email ~= 'null' and exists('email:' .. email) then return 0 end
if account ~= '' and exists('account:' .. account) then return 0 end
write('user:' .. user, userFields)
if email ~= 'null' then redis.call('SET', root .. 'email:' .. email, user) end
if account ~= '' then link(user, account, accountFields) end
if ARGV[6] then begin(user, unpack(ARGV, 6, 11)) end
return 1
`

export const getUser: string = `${SHARED}
return all('user:' .. ARGV[1])
`

export const getUserByEmail: string = `${SHARED}
local user = redis.call('GET', root .. 'email:' .. ARGV[1])
return user and all('user:' .. user)
`

export const getUserByAccount: string = `${SHARED}
local user = get('account:' .. ARGV[1], 'userId')
return user and all('user:' .. user)
`

/** The address is '' where it is to stay. */
export const updateUser: string = `${SHARED}
local user, fields, email = unpack(ARGV)
if not exists('user:' .. user) then return false end
if email ~= '' then
  local owner = email ~= 'null' and redis.call('GET', root .. 'email:' .. email)
  if owner and owner ~= user then return false end
  forget('email:' .. get('user:' .. user, 'email'))
  if email ~= 'null' then redis.call('SET', root .. 'email:' .. email, user) end
end
write('user:' .. user, fields)
return all('user:' .. user)
`

export const deleteUser: string = `${SHARED}
local user = ARGV[1]
local email = get('user:' .. user, 'email')
if email then forget('email:' .. email) end
for _, account in ipairs(redis.call('LRANGE', root .. 'accounts:' .. user, 0, -1)) do
  forget('account:' .. account)
end
for _, session in ipairs(redis.call('ZRANGE', root .. 'sessions:' .. user, 0, -1)) do
  forget('session:' .. session)
end
for _, kind in ipairs({'accounts:', 'sessions:', 'user:'}) do forget(kind .. user) end
return 1
`

export const linkAccount: string = `${SHARED}${ACCOUNTS}
local user, account, fields = unpack(ARGV)
if not exists('user:' .. user) or exists('account:' .. account) then return 0 end
link(user, account, fields)
return 1
`

export const listAccounts: string = `${SHARED}
local accounts = {}
for _, account in ipairs(redis.call('LRANGE', root .. 'accounts:' .. ARGV[1], 0, -1)) do
  table.insert(accounts, all('account:' .. account))
end
return accounts
`

/** The expected refresh token is '' where any will do: as JSON, no text is that short. */
export const updateAccount: string = `${SHARED}
local account, fields, expected, forgotten = unpack(ARGV)
if not exists('account:' .. account) then return 0 end
if expected ~= '' and get('account:' .. account, 'refresh_token') ~= expected then return 0 end
if forgotten ~= '' then redis.call('HDEL', root .. 'account:' .. account, forgotten) end
write('account:' .. account, fields)
return 1
`

export const unlinkAccount: string = `${SHARED}
local user, account = unpack(ARGV)
if get('account:' .. account, 'userId') ~= user then return 0 end
if redis.call('LLEN', root .. 'accounts:' .. user) < 2 then return 0 end
forget('account:' .. account)
redis.call('LREM', root .. 'accounts:' .. user, 0, account)
return 1
`

export const createSession: string = `${SHARED}${SESSIONS}
if not exists('user:' .. ARGV[1]) then return 0 end
begin(unpack(ARGV))
return 1
`

export const getSessionAndUser: string = `${SHARED}
local session = all('session:' .. ARGV[1])
local user = get('session:' .. ARGV[1], 'userId')
return user and {session, all('user:' .. user)}
`

export const updateSession: string = `${SHARED}${SESSIONS}
local user = get('session:' .. ARGV[1], 'userId')
if not user then return 0 end
enter(user, unpack(ARGV))
return 1
`

export const deleteSession: string = `${SHARED}${SESSIONS}
finish(ARGV[1])
return 1
`

export const listSessions: string = `${SHARED}
local sessions = {}
for _, session in ipairs(redis.call('ZRANGE', root .. 'sessions:' .. ARGV[1], 0, -1)) do
  table.insert(sessions, all('session:' .. session))
end
return sessions
`

export const deleteSessions: string = `${SHARED}${SESSIONS}
for _, session in ipairs(redis.call('ZRANGE', root .. 'sessions:' .. ARGV[1], 0, -1)) do
  if session ~= ARGV[2] then finish(session) end
end
return 1
`

export const createVerificationToken: string = `
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[2])
return 1
`

export const useVerificationToken: string = `
return redis.call('GETDEL', KEYS[2])
`

export const increment: string = `
local now, resetsAt, ttl = unpack(ARGV)
local ends = redis.call('HGET', KEYS[2], 'resetsAt')
if ends and tonumber(ends) > tonumber(now) then
  return {tostring(redis.call('HINCRBY', KEYS[2], 'count', 1)), ends}
end
redis.call('HSET', KEYS[2], 'count', 1, 'resetsAt', resetsAt)
redis.call('EXPIRE', KEYS[2], ttl)
return {'1', resetsAt}
`
