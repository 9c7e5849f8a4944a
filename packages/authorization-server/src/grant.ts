import type { Grant, StoredUser } from '@latchkey/core'
import { requireStorage, sha256 } from '@latchkey/core/capability'
import type { GuardedStorage, Service } from '@latchkey/core/capability'
import { isList, isObject, readMember, readText } from '@latchkey/core/capability/options'
import type { Client } from './clients/client.ts'
import type { Advance } from './tokens/advance.ts'

/** What the storage must be able to do. */
export const STORAGE_GROUPS = ['grants', 'increment', 'revocations'] as const

/** A grant, as `auth.grants` lists it. Times are seconds since 1970. */
export interface GrantInfo {
  readonly id: string
  readonly clientId: string
  /** As users read it. */
  readonly clientName: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  /** When its tokens were last refreshed. */
  readonly lastUsedAt: number
  readonly expires: number
}

/** What a grant keeps beside the members that the storage knows. */
export interface GrantData {
  /** Where the user was sent: consent is remembered for it. */
  readonly redirectUri: string
  /** Whether the authorization request named it: then the token request must too (RFC 6749 §4.1.3). */
  readonly namesUri: boolean
  /** The scopes that the user was asked for. */
  readonly asked: readonly string[]
  readonly challenge: string
  /** When the user approved the request of a device: the grant begins then. Seconds since 1970. */
  readonly approvedAt?: number | undefined
  /** The last end of all grants of the user when this one began: a later one ends it. 0 if there was none. Seconds since 1970. */
  readonly after?: number | undefined
  /** Whether the client gets a refresh token. */
  readonly isLasting?: boolean | undefined
  /** When the code was used: seconds since 1970. */
  readonly redeemedAt?: number | undefined
  /** The `nonce` of the authorization request, and the session in which it was answered (OpenID Connect Core 1.0). */
  readonly nonce?: string | undefined
  readonly sessionId?: string | undefined
  /** The last advances of the refresh token, the newest first. */
  readonly advances: readonly Advance[]
  /** What users read as the name of another client: the storage may no longer have it. */
  readonly clientName?: string | undefined
  /** A client that is known by its document, as it was when the user allowed it. */
  readonly client?: Client | undefined
  /** The request of a device, as the device flow reads it. Such a grant has no redirect URI and no challenge. */
  readonly device?: unknown
}

/** A grant whose user exists, and has not ended it. */
export interface LivingGrant {
  readonly grant: Grant
  readonly data: GrantData
  readonly user: StoredUser
}

/** Returns the storage of grants. */
export function getGrantStorage({ storage }: Pick<Service, 'storage'>): GuardedStorage {
  return requireStorage(storage, 'authorizationServer', STORAGE_GROUPS)
}

/** Returns the key under which the end of all grants of a user is recorded; without a user, of all grants. */
export async function toRevocationKey(userId?: string): Promise<string> {
  return userId === undefined ? 'grants' : `grants ${await sha256(userId)}`
}

/**
 * Returns a grant that has not ended, with its user. It ends with its user, and if all of the user's sessions were ended
 * after it began: that is compared here, with the time that the storage has of it.
 */
export async function findLivingGrant(
  { service, now }: { readonly service: Service; readonly now: number },
  id: string,
): Promise<LivingGrant | undefined> {
  const storage = getGrantStorage(service)
  const found = await storage.getGrantAndUser(id, now)
  const data = found && parseGrantData(found.grant.data)
  if (!found?.user || !data) return undefined
  const { grant, user } = found
  if (isOver({ grant, data }, await getEnds(storage, user.id, now))) return undefined
  return { grant, data, user }
}

/**
 * Returns whether a grant is one of an authenticated client. If it keeps its client, that must have authenticated as the kept one
 * does. If it keeps none, its client was configured: once it is not, its id is only one that anyone can name.
 */
export function isGrantOf({ grant, data }: LivingGrant, { id, method, isOpen }: Client): boolean {
  const isAlike = data.client ? data.client.method === method : !isOpen
  return grant.clientId === id && isAlike
}

/**
 * Returns whether a client gets a refresh token. Who signs a user in does not, unless the user allows it (OpenID Connect Core 1.0
 * §11).
 */
export function isLasting({ grants }: Client, scopes: readonly string[]): boolean {
  const isOffline = !scopes.includes('openid') || scopes.includes('offline_access')
  return isOffline && grants.includes('refresh_token')
}

/** A grant, and what it keeps. */
export type UsedGrant = Pick<LivingGrant, 'grant' | 'data'>

/**
 * Returns the newest 100 grants of a user, or those of them that are of a client: also such as have ended, but still name a session.
 *
 * @param now Seconds since 1970
 */
export async function listGrantsOf(
  service: Service,
  { userId, clientId }: { readonly userId: string; readonly clientId?: string | undefined },
  now: number,
): Promise<readonly UsedGrant[]> {
  const grants = await getGrantStorage(service).listGrants(userId, now)
  return grants.flatMap((grant): UsedGrant[] => {
    const isOther = clientId !== undefined && grant.clientId !== clientId
    const data = isOther ? undefined : parseGrantData(grant.data)
    return data ? [{ grant, data }] : []
  })
}

/** Returns whether the code of a grant was used. */
export function isUsed({ data }: UsedGrant): boolean {
  return data.redeemedAt !== undefined
}

/** Returns the living grants of a user whose code was used, the newest first. */
export async function listUsedGrants(
  service: Service,
  userId: string,
  now: number,
): Promise<readonly UsedGrant[]> {
  const used = (await listGrantsOf(service, { userId }, now)).filter(isUsed)
  if (used.length === 0) return []
  const ends = await getEnds(getGrantStorage(service), userId, now)
  return used.filter((each) => !isOver(each, ends))
}

/** When the grants of a user, and all grants, were last ended: seconds since 1970. */
interface Ends {
  readonly ofAll: number
  readonly ofUser: number
}

async function getEnds(storage: GuardedStorage, userId: string, now: number): Promise<Ends> {
  const [ofAll = -Infinity, ofUser] = await Promise.all([
    storage.getRevocation(await toRevocationKey(), now),
    getEndOfUser(storage, userId, now),
  ])
  return { ofAll, ofUser }
}

/** Returns when the grants of a user were last ended: seconds since 1970; 0 if they never were. */
export async function getEndOfUser(
  storage: GuardedStorage,
  userId: string,
  now: number,
): Promise<number> {
  return (await storage.getRevocation(await toRevocationKey(userId), now)) ?? 0
}

/** Returns whether all grants were ended after a grant began. Ends are compared with ends: clocks of processes differ. */
function isOver(used: UsedGrant, { ofAll, ofUser }: Ends): boolean {
  return getBeginning(used) <= ofAll || (used.data.after ?? 0) < ofUser
}

/** Returns when a grant began: seconds since 1970. */
export function getBeginning({ grant, data }: UsedGrant): number {
  return data.approvedAt ?? grant.createdAt
}

/** What a grant keeps of its beginning. */
export type Beginning = Pick<GrantData, 'after' | 'isLasting'>

/** Returns what a grant that begins now keeps of its beginning: read before its session is, so that an end of both ends it. */
export async function toBeginning(
  { service, now }: { readonly service: Service; readonly now: number },
  userId: string,
  client: Client,
  scopes: readonly string[],
): Promise<Beginning> {
  const after = await getEndOfUser(getGrantStorage(service), userId, now)
  return { after, isLasting: isLasting(client, scopes) }
}

/** Returns the data of a grant; undefined if another version of the package has written it differently. */
export function parseGrantData(text: string): GrantData | undefined {
  const data: unknown = JSON.parse(text)
  const redirectUri = readText(data, 'redirectUri')
  const challenge = readText(data, 'challenge')
  if (!isObject(data) || redirectUri === undefined || challenge === undefined) return undefined
  const { namesUri, asked, advances, clientName, client, device } = data
  const scopes = isList(asked) ? asked.filter((scope) => typeof scope === 'string') : []
  return {
    redirectUri,
    challenge,
    namesUri: namesUri === true,
    asked: scopes,
    nonce: readText(data, 'nonce'),
    sessionId: readText(data, 'sessionId'),
    approvedAt: readNumber(data, 'approvedAt'),
    after: readNumber(data, 'after'),
    isLasting: data['isLasting'] === true,
    redeemedAt: readNumber(data, 'redeemedAt'),
    advances: isList(advances) ? advances.filter(isAdvance) : [],
    ...(typeof clientName === 'string' && { clientName }),
    ...(isClient(client) && { client }),
    ...(device !== undefined && { device }),
  }
}

function readNumber(data: object, name: string): number | undefined {
  const value = readMember(data, name)
  return typeof value === 'number' ? value : undefined
}

/** The service itself has written it: only another version of the package could write it differently. */
function isClient(value: unknown): value is Client {
  const names = ['redirectUris', 'grants', 'secrets']
  return (
    readText(value, 'method') !== undefined &&
    names.every((name) => isList(readMember(value, name)))
  )
}

function isAdvance(value: unknown): value is Advance {
  return isList(value) && typeof value[0] === 'string' && typeof value[1] === 'number'
}
