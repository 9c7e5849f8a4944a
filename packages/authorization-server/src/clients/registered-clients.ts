import type { StoredClient } from '@latchkey/core'
import { requireStorage } from '@latchkey/core/capability'
import type { GuardedStorage, Service } from '@latchkey/core/capability'
import { isList, isObject, readMember, readText } from '@latchkey/core/capability/options'
import type { Client } from './client.ts'

/** What the storage must be able to do for registrations. */
export const CLIENT_GROUPS = ['clients'] as const

/** Seconds after which a registration ends that nobody has used. */
export const UNUSED_LIFETIME: number = 7 * 86_400

const ID = /^registered\.[\w-]{22}$/

/** Returns the id of a new registration: nothing else looks like it. */
export function toRegisteredId(random: string): string {
  return `registered.${random}`
}

/** Returns the storage of registrations. */
export function getClientStorage({ storage }: Pick<Service, 'storage'>): GuardedStorage {
  return requireStorage(storage, 'authorizationServer', CLIENT_GROUPS)
}

/** Returns a client that has registered itself. */
export async function findRegistered(
  { service, now }: { readonly service: Service; readonly now: number },
  id: string,
): Promise<Client | undefined> {
  if (!ID.test(id)) return undefined
  const stored = await getClientStorage(service).getClient(id, now)
  return stored && parseStored(stored, true)
}

/** Keeps a registration that is used. It then stays. */
export async function keepRegistered(
  { service, now }: { readonly service: Service; readonly now: number },
  { id }: Client,
): Promise<void> {
  if (!ID.test(id)) return
  const storage = getClientStorage(service)
  const stored = await storage.getClient(id, now)
  if (stored?.expires != null) await storage.updateClient(id, stored.version, { expires: null })
}

/** Returns what is stored of a client. Only the service itself has written it. */
export function parseStored({ id, data }: StoredClient, isOpen: boolean): Client | undefined {
  const client: unknown = JSON.parse(data)
  return isObject(client) && isClient(client) ? { ...client, id, isOpen } : undefined
}

function isClient(value: object): value is Omit<Client, 'id'> {
  const names = ['redirectUris', 'grants', 'secrets']
  const isNamed = readText(value, 'name') !== undefined && readText(value, 'method') !== undefined
  return isNamed && names.every((name) => isList(readMember(value, name)))
}
