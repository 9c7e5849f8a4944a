/**
 * The methods of the storage as Lua scripts: Redis runs each one atomically.
 *
 * In the scripts for users, `KEYS[1]` is the prefix of the keys; the others are the keys that are known
 * in advance. A script builds the names of further keys, such as the keys of a user's sessions, from the
 * prefix: hence the hash tag in it.
 *
 * The scripts for tokens, counters and revocations use one key, `KEYS[1]`, which may be on another node
 * of a cluster. No script uses keys of both kinds, because no step of the storage changes both.
 */

import * as grants from './grant-scripts.ts'
import { GRANTS, SHARED } from './script-parts.ts'

const ACCOUNTS = `
local function createAccount(user, account, fields)
  write('account:' .. account, fields)
  redis.call('RPUSH', prefix .. 'accounts:' .. user, account)
end
`

const FACTORS = `
local function createFactor(user, factor, fields)
  write('factor:' .. factor, fields)
  redis.call('RPUSH', prefix .. 'factors:' .. user, factor)
end

-- Whether a factor is of a type that the arguments from an index on list as JSON: the first one says 'listed', or
-- 'others' for all other types. The name of a factor is a list as JSON, which begins with its type.
local function isWayToSignIn(factor, from)
  local isListed = false
  for i = from + 1, #ARGV do
    local start = '[' .. ARGV[i] .. ','
    if string.sub(factor, 1, #start) == start then isListed = true end
  end
  return isListed == (ARGV[from] == 'listed')
end

local function countWays(user, from)
  local count = redis.call('LLEN', prefix .. 'accounts:' .. user)
  for _, factor in ipairs(redis.call('LRANGE', prefix .. 'factors:' .. user, 0, -1)) do
    if isWayToSignIn(factor, from) then count = count + 1 end
  end
  return count
end
`

const SESSIONS = `
-- The sets of which a session is a member: by its user, its account and its provider's session.
local function getSets(session)
  local user, provider, account, sid = unpack(redis.call(
    'HMGET', prefix .. 'session:' .. session, 'userId', 'provider', 'providerAccountId', 'sid'
  ))
  local sets = {}
  if user then table.insert(sets, prefix .. 'sessions:' .. user) end
  if account then table.insert(sets, prefix .. 'account-sessions:[' .. provider .. ',' .. account .. ']') end
  if sid then table.insert(sets, prefix .. 'sid-sessions:[' .. provider .. ',' .. sid .. ']') end
  return sets
end

local function deleteSession(session)
  for _, set in ipairs(getSets(session)) do redis.call('ZREM', set, session) end
  delete('session:' .. session)
end

-- A set of sessions expires with the last of them. A session leaves the set only after the server has
-- deleted its hash.
local function writeSession(session, fields, expires, ttl, staleBefore)
  write('session:' .. session, fields)
  redis.call('EXPIRE', prefix .. 'session:' .. session, ttl)
  for _, set in ipairs(getSets(session)) do
    redis.call('ZREMRANGEBYSCORE', set, '-inf', staleBefore)
    redis.call('ZADD', set, expires, session)
    local last = redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')[2]
    redis.call('EXPIRE', set, ttl + math.max(math.ceil(last - expires), 0))
  end
end

local function createSession(session, fields, expires, ttl, staleBefore, replaced)
  if replaced ~= '' then deleteSession(replaced) end
  writeSession(session, fields, expires, ttl, staleBefore)
end
`

/**
 * Arguments: user, fields, the verified email address or ''; account and its fields, or ''; the number of
 * factors, and each with its fields; the arguments of `createSession`, or none.
 */
export const createUser: string = `${SHARED}${ACCOUNTS}${FACTORS}${SESSIONS}
local user, userFields, email, account, accountFields, factorCount = unpack(ARGV, 1, 6)
local sessionAt = 7 + 2 * factorCount
if exists('user:' .. user) then return 0 end
if email ~= '' and getOwner(email) then return 0 end
if account ~= '' and exists('account:' .. account) then return 0 end
for i = 7, sessionAt - 1, 2 do
  if exists('factor:' .. ARGV[i]) then return 0 end
end
write('user:' .. user, userFields)
keepUnverified(user)
if email ~= '' then redis.call('SET', prefix .. 'email:' .. email, user) end
if account ~= '' then createAccount(user, account, accountFields) end
for i = 7, sessionAt - 1, 2 do createFactor(user, ARGV[i], ARGV[i + 1]) end
if ARGV[sessionAt] then createSession(unpack(ARGV, sessionAt, sessionAt + 5)) end
return 1
`

/** Arguments: user. */
export const getUser: string = `${SHARED}
return getAll('user:' .. ARGV[1])
`

/** Arguments: email. */
export const getUserByEmail: string = `${SHARED}
local user = getOwner(ARGV[1])
return user and getAll('user:' .. user)
`

/** Arguments: account. */
export const getUserByAccount: string = `${SHARED}
local user = getField('account:' .. ARGV[1], 'userId')
return user and getAll('user:' .. user)
`

/** Arguments: user, fields; the new email address and whether it is verified, each '' if unchanged. */
export const updateUser: string = `${SHARED}
local user, fields, email, verified = unpack(ARGV)
if not exists('user:' .. user) then return false end
if email == '' then email = getField('user:' .. user, 'email') end
if verified == '' then verified = getField('user:' .. user, 'emailVerified') end
local isUnique = verified == 'true' and email ~= 'null'
local owner = isUnique and getOwner(email)
if owner and owner ~= user then return false end
freeEmail(user)
if isUnique then redis.call('SET', prefix .. 'email:' .. email, user) end
write('user:' .. user, fields)
keepUnverified(user)
return getAll('user:' .. user)
`

/** Arguments: email, the maximum number of users. */
export const listUsersByEmail: string = `${SHARED}
local email, limit = unpack(ARGV)
local owner = getOwner(email)
local users = owner and {getAll('user:' .. owner)} or {}
for _, user in ipairs(redis.call('SRANDMEMBER', prefix .. 'unverified:' .. email, limit)) do
  if #users < tonumber(limit) then table.insert(users, getAll('user:' .. user)) end
end
return users
`

/** Arguments: user, email; the accounts to keep. */
export const joinUser: string = `${SHARED}${SESSIONS}${GRANTS}
local user, email = unpack(ARGV)
local unverified = prefix .. 'unverified:' .. email
if getField('user:' .. user, 'emailVerified') == 'true' or getOwner(email) then return false end
if redis.call('SISMEMBER', unverified, user) == 0 or redis.call('SCARD', unverified) > 1 then return false end
local kept = {}
for i = 3, #ARGV do kept[ARGV[i]] = true end
for _, account in ipairs(redis.call('LRANGE', prefix .. 'accounts:' .. user, 0, -1)) do
  if not kept[account] then
    delete('account:' .. account)
    redis.call('LREM', prefix .. 'accounts:' .. user, 0, account)
  end
end
for _, session in ipairs(redis.call('ZRANGE', prefix .. 'sessions:' .. user, 0, -1)) do
  deleteSession(session)
end
for _, factor in ipairs(redis.call('LRANGE', prefix .. 'factors:' .. user, 0, -1)) do
  delete('factor:' .. factor)
end
delete('factors:' .. user)
deleteGrants('grants:' .. user)
freeEmail(user)
redis.call('SET', prefix .. 'email:' .. email, user)
redis.call('HSET', prefix .. 'user:' .. user, 'emailVerified', 'true')
return getAll('user:' .. user)
`

/** Arguments: user. */
export const deleteUser: string = `${SHARED}${SESSIONS}${GRANTS}
local user = ARGV[1]
freeEmail(user)
for _, account in ipairs(redis.call('LRANGE', prefix .. 'accounts:' .. user, 0, -1)) do
  delete('account:' .. account)
end
for _, session in ipairs(redis.call('ZRANGE', prefix .. 'sessions:' .. user, 0, -1)) do
  deleteSession(session)
end
for _, factor in ipairs(redis.call('LRANGE', prefix .. 'factors:' .. user, 0, -1)) do
  delete('factor:' .. factor)
end
deleteGrants('grants:' .. user)
for _, kind in ipairs({'accounts:', 'sessions:', 'factors:', 'user:'}) do delete(kind .. user) end
return 1
`

/** Arguments: user, account, fields, the expected verified email address, 'null' or ''; the arguments of `isWayToSignIn`. */
export const linkAccount: string = `${SHARED}${ACCOUNTS}${FACTORS}
local user, account, fields, email = unpack(ARGV)
if not exists('user:' .. user) or exists('account:' .. account) then return 0 end
if email == 'null' then
  if getField('user:' .. user, 'emailVerified') == 'true' then return 0 end
  if countWays(user, 5) > 0 then return 0 end
elseif email ~= '' and getOwner(email) ~= user then
  return 0
end
createAccount(user, account, fields)
return 1
`

/** Arguments: user. */
export const listAccounts: string = `${SHARED}
local accounts = {}
for _, account in ipairs(redis.call('LRANGE', prefix .. 'accounts:' .. ARGV[1], 0, -1)) do
  table.insert(accounts, getAll('account:' .. account))
end
return accounts
`

/** Arguments: account, fields, the expected refresh token as JSON or '', a field to remove or ''. */
export const updateAccount: string = `${SHARED}
local account, fields, expected, removed = unpack(ARGV)
if not exists('account:' .. account) then return 0 end
if expected ~= '' and getField('account:' .. account, 'refresh_token') ~= expected then return 0 end
if removed ~= '' then redis.call('HDEL', prefix .. 'account:' .. account, removed) end
write('account:' .. account, fields)
return 1
`

/** Arguments: user, account; the arguments of `isWayToSignIn`. */
export const unlinkAccount: string = `${SHARED}${FACTORS}
local user, account = unpack(ARGV)
if getField('account:' .. account, 'userId') ~= user then return 0 end
if countWays(user, 3) < 2 then return 0 end
delete('account:' .. account)
redis.call('LREM', prefix .. 'accounts:' .. user, 0, account)
return 1
`

/** Arguments: user, factor, fields. */
export const createFactor: string = `${SHARED}${FACTORS}
local user, factor, fields = unpack(ARGV)
if not exists('user:' .. user) or exists('factor:' .. factor) then return 0 end
createFactor(user, factor, fields)
return 1
`

/** Arguments: factor. */
export const getFactorAndUser: string = `${SHARED}
local user = getField('factor:' .. ARGV[1], 'userId')
return user and {getAll('factor:' .. ARGV[1]), getAll('user:' .. user)}
`

/** Arguments: user. */
export const listFactors: string = `${SHARED}
local factors = {}
for _, factor in ipairs(redis.call('LRANGE', prefix .. 'factors:' .. ARGV[1], 0, -1)) do
  table.insert(factors, getAll('factor:' .. factor))
end
return factors
`

/** Arguments: the cursor of SCAN. Returns the next one, and users as JSON. The prefix may have characters of a pattern. */
export const scanFactorUsers: string = `${SHARED}
local pattern = string.gsub(prefix, '[%*%?%[\\\\]', '\\\\%0') .. 'factors:*'
local cursor, keys = unpack(redis.call('SCAN', ARGV[1], 'MATCH', pattern, 'COUNT', 1000))
local users = {}
for i, key in ipairs(keys) do users[i] = string.sub(key, #prefix + #'factors:' + 1) end
return {cursor, users}
`

/** Arguments: factor, fields, the expected version as JSON. */
export const updateFactor: string = `${SHARED}
local factor, fields, version = unpack(ARGV)
if getField('factor:' .. factor, 'version') ~= version then return 0 end
write('factor:' .. factor, fields)
return 1
`

/**
 * Arguments: user, factor; the arguments of `isWayToSignIn`. Returns 0 if the factor is absent, and nil if it is the last way
 * to sign in.
 */
export const deleteFactor: string = `${SHARED}${FACTORS}
local user, factor = unpack(ARGV)
if getField('factor:' .. factor, 'userId') ~= user then return 0 end
if isWayToSignIn(factor, 3) and countWays(user, 3) < 2 then return false end
delete('factor:' .. factor)
redis.call('LREM', prefix .. 'factors:' .. user, 0, factor)
return 1
`

/** Arguments: user; the six arguments of the Lua function `createSession`; the account that is used or '', and when. */
export const createSession: string = `${SHARED}${SESSIONS}
if not exists('user:' .. ARGV[1]) then return 0 end
createSession(unpack(ARGV, 2, 7))
local account, now = 'account:' .. ARGV[8], ARGV[9]
if getField(account, 'userId') == ARGV[1] then
  local used = getField(account, 'lastUsedAt')
  if not used or tonumber(used) < tonumber(now) then
    redis.call('HSET', prefix .. account, 'lastUsedAt', now)
  end
end
return 1
`

/** Arguments: session. */
export const getSessionAndUser: string = `${SHARED}
local session = getAll('session:' .. ARGV[1])
local user = getField('session:' .. ARGV[1], 'userId')
return user and {session, getAll('user:' .. user)}
`

/** The arguments of the Lua function `writeSession`. */
export const updateSession: string = `${SHARED}${SESSIONS}
if not exists('session:' .. ARGV[1]) then return 0 end
writeSession(unpack(ARGV))
return 1
`

/** Arguments: session. */
export const deleteSession: string = `${SHARED}${SESSIONS}
deleteSession(ARGV[1])
return 1
`

/** Arguments: user. */
export const listSessions: string = `${SHARED}
local sessions = {}
for _, session in ipairs(redis.call('ZRANGE', prefix .. 'sessions:' .. ARGV[1], 0, -1)) do
  table.insert(sessions, getAll('session:' .. session))
end
return sessions
`

/** Arguments: user, the session to keep or ''. */
export const deleteSessions: string = `${SHARED}${SESSIONS}
for _, session in ipairs(redis.call('ZRANGE', prefix .. 'sessions:' .. ARGV[1], 0, -1)) do
  if session ~= ARGV[2] then deleteSession(session) end
end
return 1
`

/** Arguments: the set of sessions; the account that they must have, or ''. */
export const deleteAccountSessions: string = `${SHARED}${SESSIONS}
local set, account = unpack(ARGV)
local deleted = {}
for _, session in ipairs(redis.call('ZRANGE', prefix .. set, 0, -1)) do
  local found = getField('session:' .. session, 'providerAccountId')
  if found and (account == '' or found == account) then
    deleteSession(session)
    table.insert(deleted, session)
  end
end
return deleted
`

/** No arguments. `CONFIG GET` is not allowed in scripts. */
export const getServerSettings: string = `
return {
  string.match(redis.call('INFO', 'memory'), 'maxmemory_policy:(%S+)') or '',
  string.match(redis.call('INFO', 'persistence'), 'aof_enabled:(%d)') or ''
}
`

/**
 * Arguments: the token, or what an unfinished sign-in needs, and the seconds to keep it. Returns 0 if it is stored
 * already with another content: a client repeats a call whose reply was lost.
 */
export const createOnce: string = `
if redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2], 'NX') then return 1 end
return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0
`

/** No arguments. */
export const takeOnce: string = `
return redis.call('GETDEL', KEYS[1])
`

/** Arguments: the time, the end of a new window, the seconds to keep it, 1 or -1. */
export const increment: string = `
local now, resetsAt, ttl, by = unpack(ARGV)
local ends = redis.call('HGET', KEYS[1], 'resetsAt')
if ends and tonumber(ends) > tonumber(now) then
  -- What is taken back was counted in an earlier window.
  if tonumber(by) < 0 and tonumber(ends) > tonumber(resetsAt) then by = 0 end
  return {tostring(redis.call('HINCRBY', KEYS[1], 'count', by)), ends}
end
redis.call('HSET', KEYS[1], 'count', 1, 'resetsAt', resetsAt)
redis.call('EXPIRE', KEYS[1], ttl)
return {'1', resetsAt}
`

/** Arguments: the time of the revocation, its expiry, the seconds to keep it. */
export const createRevocation: string = `
local revokedAt, expires, ttl = unpack(ARGV)
local previous = redis.call('HMGET', KEYS[1], 'revokedAt', 'expires')
if not previous[1] or tonumber(previous[1]) < tonumber(revokedAt) then
  redis.call('HSET', KEYS[1], 'revokedAt', revokedAt)
end
if not previous[2] or tonumber(previous[2]) < tonumber(expires) then
  redis.call('HSET', KEYS[1], 'expires', expires)
  redis.call('EXPIRE', KEYS[1], ttl)
end
return 1
`

/** No arguments. */
export const getRevocation: string = `
return redis.call('HMGET', KEYS[1], 'revokedAt', 'expires')
`

/** The scripts that change nothing, so that they may run twice. */
export const reads: ReadonlySet<string> = new Set([
  getUser,
  getUserByEmail,
  getUserByAccount,
  listAccounts,
  getSessionAndUser,
  listSessions,
  getFactorAndUser,
  listFactors,
  grants.getGrantAndUser,
  grants.getGrantByKey,
  grants.listGrants,
  grants.getClient,
  grants.listClients,
  scanFactorUsers,
  getServerSettings,
  getRevocation,
])
