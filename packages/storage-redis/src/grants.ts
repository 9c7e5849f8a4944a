import type { Clients, Grant, Grants, GrantSelection, StoredClient } from '@latchkey/core'
import { checkData } from '@latchkey/core/unstable'
import * as scripts from './grant-scripts.ts'
import { runStep } from './outbox.ts'
import type { Step } from './outbox.ts'
import { isOne, toArray, toFields, toJson, toRecord, toUser } from './records.ts'
import type { UserMapping } from './records.ts'
import type { RunScript } from './run-script.ts'
import { getNow, getTtl, TTL_MARGIN } from './ttl.ts'

/** Grants that a list has at most. */
const LISTED = 100

/** Creates the methods for grants. */
export function createGrantMethods(run: RunScript, users: UserMapping): Grants {
  return {
    async createGrant(grant, events) {
      checkData(grant)
      const { id, userId, key, expires } = grant
      const [user, named] = [userId === null ? '' : toJson(userId), key === null ? '' : toJson(key)]
      const fields = { ...grant, version: createVersion() }
      const args = [user, named, ...toGrantArgs(id, fields, expires)]
      const step = { script: scripts.createGrant, keys: toGrantKeys(id, userId, key), args }
      return isOne(await runStep(run, step, events))
    },
    async getGrantAndUser(id, now) {
      const reply = toArray(
        await run(scripts.getGrantAndUser, [`grant:${toJson(id)}`], [toJson(id)]),
      )
      const [grant, user] = [toLive(reply[0], now), toUser(reply[1], users)]
      if (!grant || (grant.userId !== null && !user)) return undefined
      return { grant, user: user ?? null }
    },
    async getGrantByKey(key, now) {
      const named = toJson(key)
      return toLive(await run(scripts.getGrantByKey, [`grant-key:${named}`], [named]), now)
    },
    async updateGrant(id, expectedVersion, changes, events) {
      checkData(changes)
      const { userId, key, expires } = changes
      const user = userId === undefined ? '' : toJson(userId)
      const fields = { ...toChanges(changes), version: createVersion() }
      const frees = key === null ? 'free' : ''
      const written = toGrantArgs(id, fields, expires)
      const args = [toJson(expectedVersion), user, frees, ...written]
      const keys = toGrantKeys(id, userId ?? null, null)
      return isOne(await runStep(run, { script: scripts.updateGrant, keys, args }, events))
    },
    async deleteGrant(id, events) {
      const key = toJson(id)
      await runStep(
        run,
        { script: scripts.deleteGrant, keys: [`grant:${key}`], args: [key] },
        events,
      )
    },
    async listGrants(userId, now) {
      const user = toJson(userId)
      const replies = toArray(await run(scripts.listGrants, [`grants:${user}`], [user]))
      const live = replies.map((reply) => toLive(reply, now)).filter((grant) => grant !== undefined)
      return live.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, LISTED)
    },
    async deleteGrants(selection, events) {
      await runStep(run, toDeletion(selection), events)
    },
  }
}

function toDeletion({ userId, clientId = '' }: GrantSelection): Step {
  const client = clientId === '' ? '' : toJson(clientId)
  const set = userId === undefined ? `client-grants:${client}` : `grants:${toJson(userId)}`
  const wanted = userId === undefined ? '' : client
  return { script: scripts.deleteGrants, keys: [set], args: [set, wanted] }
}

/** Returns the keys of a grant that are known in advance. */
function toGrantKeys(id: string, userId: string | null, key: string | null): string[] {
  const user = userId === null ? [] : [`user:${toJson(userId)}`, `grants:${toJson(userId)}`]
  return [`grant:${toJson(id)}`, ...user, ...(key === null ? [] : [`grant-key:${toJson(key)}`])]
}

/**
 * Returns the arguments of the Lua function `writeGrant`.
 *
 * @param expires Default: the times stay
 */
function toGrantArgs(id: string, fields: object, expires: number | undefined): string[] {
  const times = expires === undefined ? ['', ''] : [`${expires}`, `${getTtl(expires)}`]
  return [toJson(id), toFields(fields), ...times, `${getNow() - TTL_MARGIN}`]
}

/** Leaves out what cannot be changed. */
function toChanges(changes: Parameters<Grants['updateGrant']>[2]): object {
  const { userId, scopes, authenticatedAt, methods, counter, changedAt, expires, key, data } =
    changes
  const authentication = { authenticatedAt, methods }
  return { userId, scopes, ...authentication, counter, changedAt, expires, key, data }
}

/** Returns the grant of a reply to HGETALL; undefined if there is none, or it has expired. */
function toLive(reply: unknown, now: number): Grant | undefined {
  const record = toRecord(reply)
  if (!record || !(Number(record['expires']) > now)) return undefined
  const { userId, authenticatedAt, key } = record
  return {
    id: String(record['id']),
    userId: typeof userId === 'string' ? userId : null,
    clientId: String(record['clientId']),
    resource: String(record['resource']),
    scopes: toArray(record['scopes']).map(String),
    authenticatedAt: typeof authenticatedAt === 'number' ? authenticatedAt : null,
    methods: toArray(record['methods']).map(String),
    counter: Number(record['counter']),
    version: String(record['version']),
    createdAt: Number(record['createdAt']),
    changedAt: Number(record['changedAt']),
    expires: Number(record['expires']),
    key: typeof key === 'string' ? key : null,
    data: String(record['data']),
  }
}

/** Creates the methods for clients of the authorization server. */
export function createClientMethods(run: RunScript): Clients {
  return {
    async createClient(client, events) {
      checkData(client)
      const { id, createdAt, expires, data } = client
      const fields = { id, createdAt, expires, data, version: createVersion() }
      const args = [`${getNow() - TTL_MARGIN}`, ...toClientArgs(id, fields, expires)]
      const step = { script: scripts.createClient, keys: toClientKeys(id), args }
      return isOne(await runStep(run, step, events))
    },
    async getClient(id, now) {
      const key = toJson(id)
      return toLiveClient(await run(scripts.getClient, [`client:${key}`], [key]), now)
    },
    async updateClient(id, expectedVersion, changes, events) {
      checkData(changes)
      const { expires, data } = changes
      const fields = { expires, data, version: createVersion() }
      const args = [toJson(expectedVersion), ...toClientArgs(id, fields, expires)]
      const step = { script: scripts.updateClient, keys: toClientKeys(id), args }
      return isOne(await runStep(run, step, events))
    },
    async deleteClient(id, events) {
      const args = [toJson(id)]
      await runStep(run, { script: scripts.deleteClient, keys: toClientKeys(id), args }, events)
    },
    async listClients(limit, now, after) {
      const args = [`${limit}`, `${now}`, after === undefined ? '' : toJson(after)]
      const replies = toArray(await run(scripts.listClients, ['clients'], args))
      const clients = replies.map((reply) => toLiveClient(reply, now))
      return clients.filter((client) => client !== undefined)
    },
  }
}

function toClientKeys(id: string): string[] {
  return [`client:${toJson(id)}`, 'clients', 'client-expiries']
}

/**
 * Returns the arguments of the Lua function `writeClient`.
 *
 * @param expires Default: the times stay
 */
function toClientArgs(id: string, fields: object, expires: number | null | undefined): string[] {
  const ttl = typeof expires === 'number' ? `${getTtl(expires)}` : ''
  return [toJson(id), toFields(fields), expires === undefined ? '' : `${expires}`, ttl]
}

/** Returns the client of a reply to HGETALL; undefined if there is none, or it has expired. */
function toLiveClient(reply: unknown, now: number): StoredClient | undefined {
  const record = toRecord(reply)
  if (!record) return undefined
  const { id, version, createdAt, data } = record
  const expires = typeof record['expires'] === 'number' ? record['expires'] : null
  if (expires !== null && expires <= now) return undefined
  const texts = { id: String(id), version: String(version), data: String(data) }
  return { ...texts, createdAt: Number(createdAt), expires }
}

function createVersion(): string {
  return crypto.randomUUID()
}
