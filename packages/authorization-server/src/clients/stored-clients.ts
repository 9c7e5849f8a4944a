import { sha256, toBase64url } from '@latchkey/core/capability'
import type { Service } from '@latchkey/core/capability'
import {
  AuthError,
  ConfigurationError,
  checkKnownNames,
  isObject,
} from '@latchkey/core/capability/options'
import { callListener } from '../events.ts'
import { getGrantStorage } from '../grant.ts'
import type { StoredClients } from '../parts.ts'
import { getNow } from '../server.ts'
import { toClientInfo } from './auth-clients.ts'
import { toClient } from './client.ts'
import type { ClientInfo, CreatedClient, StoredClientOptions } from './auth-clients.ts'
import type { Client, Fail } from './client.ts'
import { getClientStorage, parseStored } from './registered-clients.ts'

/** No id of the other kinds looks like it. */
const PREFIX = 'stored.'
const ID = /^stored\.[\w-]{22}$/
const OPTION = 'auth.clients.create'
const names = [
  'name',
  'redirectUris',
  'grants',
  'deviceScopes',
  'sector',
  'postLogoutRedirectUris',
  'backchannelLogoutUri',
  'authentication',
  'jwks',
] satisfies readonly (keyof StoredClientOptions)[]

/** How often a client may change while its secret is rotated. */
const MAX_TRIES = 5
/** Clients that are read at a time. */
const PAGE = 100

/**
 * Lets the application create clients while it runs: the option `storedClients`, which adds `auth.clients`. It needs a storage with the
 * capability `clients`.
 *
 * @example
 *   import { authorizationServer, storedClients } from '@latchkey/authorization-server'
 *
 *   const server = authorizationServer({
 *     resources: { 'https://api.example.com/notes': { scopes: { read: { en: 'Read your notes' } } } },
 *     storedClients: storedClients(),
 *   })
 */
export function storedClients(): StoredClients {
  return {
    async find({ service, now }, id) {
      const stored = ID.test(id) ? await getClientStorage(service).getClient(id, now) : undefined
      return stored && parseStored(stored, false)
    },
    createMembers: (service, check) => ({
      create: (options) => create(service, options, check),
      list: () => list(service),
      rotate: (id) => rotate(service, id),
      remove: (id) => remove(service, id),
    }),
  }
}

function createRandom({ runtime }: Service, bytes: number): string {
  return toBase64url(runtime.random(bytes))
}

const fail: Fail = (problem) => new ConfigurationError(OPTION, problem)

async function create(
  service: Service,
  options: StoredClientOptions,
  check: (client: Client, fail: Fail) => void,
): Promise<CreatedClient> {
  if (!isObject(options)) throw fail('must be an object')
  checkKnownNames(OPTION, options, names)
  const id = PREFIX + createRandom(service, 16)
  const { authentication } = options
  const hasSecret = typeof authentication === 'string' && authentication.startsWith('client_secret')
  const secret = hasSecret ? createRandom(service, 32) : undefined
  const client = toClient({ ...options, id, ...(secret !== undefined && { secret }) }, fail)
  check(client, fail)
  const secretHashes = secret === undefined ? [] : [await sha256(secret)]
  const data = JSON.stringify({ ...client, secrets: [], secretHashes })
  const createdAt = getNow(service)
  const storage = getClientStorage(service)
  const isStored = await storage.createClient({ id, createdAt, expires: null, data })
  if (!isStored) throw new AuthError('Unavailable', 'the id of a client is taken')
  await callListener(service, 'createClient', { client: toClientInfo(client, createdAt) })
  return { id, secret }
}

async function list(service: Service): Promise<readonly ClientInfo[]> {
  const storage = getClientStorage(service)
  const found: ClientInfo[] = []
  for (let after: string | undefined = PREFIX; after !== undefined;) {
    const page = await storage.listClients(PAGE, getNow(service), after)
    // The same group of the storage has the registrations.
    for (const stored of page.filter(({ id }) => ID.test(id))) {
      const client = parseStored(stored, false)
      if (client) found.push(toClientInfo(client, stored.createdAt))
    }
    after = page.length < PAGE ? undefined : page.at(-1)?.id
  }
  return found
}

/** Of simultaneous calls each one keeps the secret that the other one has returned: the version decides. */
async function rotate(service: Service, id: string): Promise<string | undefined> {
  if (!ID.test(id)) return undefined
  const storage = getClientStorage(service)
  const secret = createRandom(service, 32)
  const hash = await sha256(secret)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stored = await storage.getClient(id, getNow(service))
    const client = stored && parseStored(stored, false)
    const [current] = client?.secretHashes ?? []
    if (!stored || current === undefined) return undefined
    const data = JSON.stringify({ ...client, secretHashes: [hash, current] })
    if (await storage.updateClient(id, stored.version, { data })) return secret
  }
  throw new AuthError('Unavailable', 'the client changes too often')
}

/** The client goes first: nobody can then get another grant of it, and the id is never given again. */
async function remove(service: Service, id: string): Promise<void> {
  if (!ID.test(id)) return
  const storage = getClientStorage(service)
  const stored = await storage.getClient(id, getNow(service))
  await storage.deleteClient(id)
  // Now: if the grants cannot be deleted, the call is repeated, and the client is no longer there.
  if (stored) await callListener(service, 'removeClient', { clientId: id })
  await getGrantStorage(service).deleteGrants({ clientId: id })
}
