import { createSweep } from '../lib/sweep.ts'
import type {
  Clients,
  Grant,
  GrantChanges,
  Grants,
  GrantSelection,
  StoredClient,
} from '../ports/grants.ts'
import type { StoredUser } from '../ports/records.ts'
import { checkData } from './check-data.ts'
import type { StoreEvents } from './memory-outbox.ts'

/** Grants that {@link Grants.listGrants} returns. */
const MAX_LISTED = 100

/** Grants by their id. */
export type GrantTable = Map<string, Grant>

interface Tables {
  readonly users: ReadonlyMap<string, StoredUser>
  readonly grants: GrantTable
  readonly storeEvents: StoreEvents
}

/** Keeps grants in this process. */
export function createMemoryGrants({ users, grants, storeEvents }: Tables): Grants {
  const sweep = createSweep(grants)
  const hasUser = (userId: string | null = null): boolean => userId === null || users.has(userId)
  const findByKey = (key: string): Grant | undefined =>
    [...grants.values()].find((grant) => grant.key === key)
  return {
    async createGrant(grant, events) {
      checkData(grant)
      sweep(({ expires }) => expires <= grant.createdAt)
      if (!hasUser(grant.userId) || grants.has(grant.id)) return false
      if (grant.key !== null && findByKey(grant.key)) return false
      grants.set(grant.id, { ...copyGrant(grant), version: createVersion() })
      storeEvents(events)
      return true
    },
    async getGrantAndUser(id, now) {
      const grant = grants.get(id)
      if (!grant || grant.expires <= now) return undefined
      return { grant, user: users.get(grant.userId ?? '') ?? null }
    },
    async getGrantByKey(key, now) {
      const grant = findByKey(key)
      return grant && grant.expires > now ? grant : undefined
    },
    async updateGrant(id, expectedVersion, changes, events) {
      checkData(changes)
      const grant = grants.get(id)
      if (grant?.version !== expectedVersion) return false
      const isTaken = changes.userId !== undefined && grant.userId !== null
      if (isTaken || !hasUser(changes.userId)) return false
      grants.set(id, changeGrant(grant, changes))
      storeEvents(events)
      return true
    },
    async deleteGrant(id, events) {
      grants.delete(id)
      storeEvents(events)
    },
    async listGrants(userId, now) {
      const own = [...grants.values()].filter((grant) => grant.userId === userId)
      const live = own.filter(({ expires }) => expires > now)
      return live.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, MAX_LISTED)
    },
    async deleteGrants(selection, events) {
      for (const grant of grants.values()) if (isSelected(grant, selection)) grants.delete(grant.id)
      storeEvents(events)
    },
  }
}

function isSelected(grant: Grant, { userId, clientId }: GrantSelection): boolean {
  if (userId !== undefined && grant.userId !== userId) return false
  return clientId === undefined || grant.clientId === clientId
}

/** Changes what can be changed: other members of `changes` are ignored. */
function changeGrant(grant: Grant, changes: GrantChanges): Grant {
  const { id, clientId, resource, createdAt } = grant
  const kept = { id, clientId, resource, createdAt }
  return { ...copyGrant({ ...grant, ...changes, ...kept }), version: createVersion() }
}

/** Copies the lists, which the caller may change later. */
function copyGrant(grant: Omit<Grant, 'version'>): Omit<Grant, 'version'> {
  const { id, userId, clientId, resource, authenticatedAt, counter } = grant
  const { createdAt, changedAt, expires, key, data } = grant
  const lists = { scopes: [...grant.scopes], methods: [...grant.methods] }
  const client = { id, userId, clientId, resource, ...lists, authenticatedAt, counter }
  return { ...client, createdAt, changedAt, expires, key, data }
}

/** Keeps clients of the authorization server in this process. */
export function createMemoryClients({ storeEvents }: Pick<Tables, 'storeEvents'>): Clients {
  const clients = new Map<string, StoredClient>()
  const sweep = createSweep(clients)
  return {
    async createClient(client, events) {
      checkData(client)
      sweep((each) => hasExpired(each, client.createdAt))
      if (clients.has(client.id)) return false
      const { id, createdAt, expires, data } = client
      clients.set(id, { id, createdAt, expires, data, version: createVersion() })
      storeEvents(events)
      return true
    },
    async getClient(id, now) {
      const client = clients.get(id)
      return client && !hasExpired(client, now) ? client : undefined
    },
    async updateClient(id, expectedVersion, changes, events) {
      checkData(changes)
      const client = clients.get(id)
      if (client?.version !== expectedVersion) return false
      const { expires, data } = { ...client, ...changes }
      clients.set(id, { ...client, expires, data, version: createVersion() })
      storeEvents(events)
      return true
    },
    async deleteClient(id, events) {
      clients.delete(id)
      storeEvents(events)
    },
    async listClients(limit, now, after = '') {
      const next = [...clients.values()].filter(({ id }) => id > after)
      const live = next.filter((client) => !hasExpired(client, now))
      return live.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
    },
  }
}

function hasExpired({ expires }: StoredClient, now: number): boolean {
  return expires !== null && expires <= now
}

function createVersion(): string {
  return crypto.randomUUID()
}
