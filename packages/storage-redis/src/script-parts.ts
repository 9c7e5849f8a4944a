/** Lua functions that scripts of several files share. */

export const SHARED: string = `
local prefix = KEYS[1]

local function getField(key, field) return redis.call('HGET', prefix .. key, field) end
local function getAll(key) return redis.call('HGETALL', prefix .. key) end
local function exists(key) return redis.call('EXISTS', prefix .. key) == 1 end
local function delete(key) redis.call('DEL', prefix .. key) end

-- The user who has verified an email address. Earlier versions also kept the key of an unverified one.
local function getOwner(email)
  local user = redis.call('GET', prefix .. 'email:' .. email)
  return user and getField('user:' .. user, 'emailVerified') == 'true' and user
end

local function freeEmail(user)
  local email = getField('user:' .. user, 'email') or ''
  if redis.call('GET', prefix .. 'email:' .. email) == user then delete('email:' .. email) end
  redis.call('SREM', prefix .. 'unverified:' .. email, user)
end

-- Keeps which users have an email address that they have not verified. Earlier versions did not.
local function keepUnverified(user)
  local email, verified = unpack(redis.call('HMGET', prefix .. 'user:' .. user, 'email', 'emailVerified'))
  if email == 'null' or verified == 'true' then return end
  redis.call('SADD', prefix .. 'unverified:' .. email, user)
end

local function write(key, fields)
  local list = cjson.decode(fields)
  if #list > 0 then redis.call('HSET', prefix .. key, unpack(list)) end
end
`

export const GRANTS: string = `
-- The sets of which a grant is a member: by its client and its user.
local function getGrantSets(grant)
  local client, user = unpack(redis.call('HMGET', prefix .. 'grant:' .. grant, 'clientId', 'userId'))
  local sets = {}
  if client then table.insert(sets, prefix .. 'client-grants:' .. client) end
  if user and user ~= 'null' then table.insert(sets, prefix .. 'grants:' .. user) end
  return sets
end

local function freeKey(grant)
  local key = getField('grant:' .. grant, 'key')
  if key and key ~= 'null' then delete('grant-key:' .. key) end
end

local function deleteGrant(grant)
  freeKey(grant)
  for _, set in ipairs(getGrantSets(grant)) do redis.call('ZREM', set, grant) end
  delete('grant:' .. grant)
end

-- Deletes the grants of a set, of one client if it is given.
local function deleteGrants(set, client)
  for _, grant in ipairs(redis.call('ZRANGE', prefix .. set, 0, -1)) do
    if not client or getField('grant:' .. grant, 'clientId') == client then deleteGrant(grant) end
  end
  if not client then delete(set) end
end
`
