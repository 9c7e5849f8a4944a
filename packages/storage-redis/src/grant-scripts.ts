/**
 * The scripts of the capabilities `grants` and `clients`. A grant is a hash, `grant:<id>`, and `grant-key:<key>` has its id;
 * the sorted sets `grants:<user>` and `client-grants:<client>` have it with its expiry. A client is a hash, `client:<id>`;
 * the sorted set `clients` has all of them in the order of their ids, and `client-expiries` those that expire.
 */

import { GRANTS, SHARED } from './script-parts.ts'

const WRITE = `
-- A set of grants expires with the last of them. A grant leaves the set only after the server has deleted its hash.
local function writeGrant(grant, fields, expires, ttl, staleBefore)
  write('grant:' .. grant, fields)
  redis.call('EXPIRE', prefix .. 'grant:' .. grant, ttl)
  local key = getField('grant:' .. grant, 'key')
  if key ~= 'null' then redis.call('SET', prefix .. 'grant-key:' .. key, grant, 'EX', ttl) end
  for _, set in ipairs(getGrantSets(grant)) do
    redis.call('ZREMRANGEBYSCORE', set, '-inf', staleBefore)
    redis.call('ZADD', set, expires, grant)
    redis.call('EXPIRE', set, math.max(ttl, redis.call('TTL', set)))
  end
end
`

/** Arguments: the user or '', the key or ''; the arguments of the Lua function `writeGrant`. */
export const createGrant: string = `${SHARED}${GRANTS}${WRITE}
local user, key, grant = unpack(ARGV)
if user ~= '' and not exists('user:' .. user) then return 0 end
if exists('grant:' .. grant) then return 0 end
if key ~= '' and exists('grant-key:' .. key) then return 0 end
writeGrant(unpack(ARGV, 3))
return 1
`

/** Arguments: grant. */
export const getGrantAndUser: string = `${SHARED}
local user = getField('grant:' .. ARGV[1], 'userId')
return user and {getAll('grant:' .. ARGV[1]), getAll('user:' .. user)}
`

/** Arguments: key. */
export const getGrantByKey: string = `${SHARED}
local grant = redis.call('GET', prefix .. 'grant-key:' .. ARGV[1])
return grant and getAll('grant:' .. grant)
`

/**
 * Arguments: the expected version, the user of a grant that has none or '', 'free' or '' for its key; the arguments of the
 * Lua function `writeGrant`, whose times are '' if they stay.
 */
export const updateGrant: string = `${SHARED}${GRANTS}${WRITE}
local version, user, frees, grant, fields, expires, ttl, staleBefore = unpack(ARGV)
local hash = 'grant:' .. grant
if getField(hash, 'version') ~= version then return 0 end
if user ~= '' and (getField(hash, 'userId') ~= 'null' or not exists('user:' .. user)) then return 0 end
if expires == '' then
  expires, ttl = getField(hash, 'expires'), redis.call('TTL', prefix .. hash)
end
if frees ~= '' then freeKey(grant) end
writeGrant(grant, fields, expires, ttl, staleBefore)
return 1
`

/** Arguments: grant. */
export const deleteGrant: string = `${SHARED}${GRANTS}
deleteGrant(ARGV[1])
return 1
`

/** Arguments: user. */
export const listGrants: string = `${SHARED}
local grants = {}
for _, grant in ipairs(redis.call('ZRANGE', prefix .. 'grants:' .. ARGV[1], 0, -1)) do
  table.insert(grants, getAll('grant:' .. grant))
end
return grants
`

/** Arguments: the set of grants; the client that they must have, or ''. */
export const deleteGrants: string = `${SHARED}${GRANTS}
deleteGrants(ARGV[1], ARGV[2] ~= '' and ARGV[2])
return 1
`

const CLIENTS = `
local clients, expiries = prefix .. 'clients', prefix .. 'client-expiries'

local function forget(client)
  redis.call('ZREM', clients, client)
  redis.call('ZREM', expiries, client)
end

-- Without an expiry, which is then 'null', the client stays.
local function writeClient(client, fields, expires, ttl)
  write('client:' .. client, fields)
  redis.call('ZADD', clients, 0, client)
  if expires == 'null' then
    redis.call('PERSIST', prefix .. 'client:' .. client)
    redis.call('ZREM', expiries, client)
  else
    redis.call('EXPIRE', prefix .. 'client:' .. client, ttl)
    redis.call('ZADD', expiries, expires, client)
  end
end
`

/** Arguments: the time before which the server has deleted clients; the arguments of the Lua function `writeClient`. */
export const createClient: string = `${SHARED}${CLIENTS}
if exists('client:' .. ARGV[2]) then return 0 end
for _, client in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', ARGV[1], 'LIMIT', 0, 10)) do forget(client) end
writeClient(unpack(ARGV, 2))
return 1
`

/** Arguments: client. */
export const getClient: string = `${SHARED}
return getAll('client:' .. ARGV[1])
`

/** Arguments: the expected version; the arguments of the Lua function `writeClient`, whose times are '' if they stay. */
export const updateClient: string = `${SHARED}${CLIENTS}
local version, client, fields, expires, ttl = unpack(ARGV)
if getField('client:' .. client, 'version') ~= version then return 0 end
if expires == '' then write('client:' .. client, fields) else writeClient(client, fields, expires, ttl) end
return 1
`

/** Arguments: client. */
export const deleteClient: string = `${SHARED}${CLIENTS}
delete('client:' .. ARGV[1])
forget(ARGV[1])
return 1
`

/** Arguments: the maximum number of clients, the time, the last client of the previous page or ''. */
export const listClients: string = `${SHARED}${CLIENTS}
local limit, now, after = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local found, from = {}, after == '' and '-' or '(' .. after
repeat
  local page = redis.call('ZRANGEBYLEX', clients, from, '+', 'LIMIT', 0, 100)
  for _, client in ipairs(page) do
    local expires = getField('client:' .. client, 'expires')
    local isLive = expires and (expires == 'null' or tonumber(expires) > now)
    if isLive and #found < limit then table.insert(found, getAll('client:' .. client)) end
  end
  if #page > 0 then from = '(' .. page[#page] end
until #page < 100 or #found >= limit
return found
`
