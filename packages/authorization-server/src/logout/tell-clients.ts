import type { StoredEvent } from '@latchkey/core'
import { listSessionIds, requireStorage } from '@latchkey/core/capability'
import type { Service } from '@latchkey/core/capability'
import { ConfigurationError } from '@latchkey/core/capability/options'
import { findOwn } from '../clients/find-client.ts'
import { getGrantStorage, isUsed, listGrantsOf } from '../grant.ts'
import type { UsedGrant } from '../grant.ts'
import type { Caller, ToSubject } from '../parts.ts'
import { getNow, getServer } from '../server.ts'
import { getAlgorithm, toSid } from '../tokens/id-token.ts'

/** The names of events in the outbox: of a session that has ended, and of a client that is told. */
const [ENDED, LOGOUT] = ['openIdSessionEnded', 'openIdLogout']
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Seconds for which a logout token is valid: two minutes at most (Back-Channel Logout 1.0 §2.4). */
const LIFETIME = 120
/** How often grants may change while their clients are noted. */
const MAX_TRIES = 5

/** What the outbox keeps of a session that has ended. */
interface Ended {
  /** Undefined if an identity provider has ended the sessions of a user whom it does not name. */
  readonly userId?: string
  /** Undefined for all sessions of the user that do not live. */
  readonly sessionId?: string
  readonly replaced?: readonly string[]
}

/** What the outbox keeps of a client that is told. */
interface Told {
  readonly clientId: string
  readonly userId: string
  readonly sessionId: string
}

/**
 * Tells clients of the end of sessions by the outbox: the end is stored in the step in which the session ends, then each client with
 * its grant, so that a crash loses none and a client that does not answer keeps no other one waiting.
 *
 * @throws ConfigurationError if a client is to be told, and there is no outbox
 */
export function tellClients(service: Service, toSubject: ToSubject): void {
  const { outbox } = service
  const { clients, storedClients } = getServer(service).settings
  const isTold = [...clients.values()].some((each) => each.backchannelLogoutUri)
  if (isTold && !outbox) {
    throw new ConfigurationError(
      'openIdLogout',
      'needs the option outbox, for backchannelLogoutUri',
    )
  }
  if (!isTold && !storedClients) return
  const note = (ended: Ended): Promise<void> => noteClients(service, ended)
  outbox?.deliverOwn(ENDED, note, ['signOut', 'revokeSession', 'providerLogout'])
  outbox?.deliverOwn(LOGOUT, (told: Told) => tellClient(service, told, toSubject))
}

/**
 * A grant forgets its session in the step in which its client is noted, once for all its grants of the session, however often that is
 * tried. A code that was not used yet ends: its client would sign a user in whose session has ended, and hear of no end.
 */
export async function noteClients(service: Service, ended: Ended): Promise<void> {
  const { userId } = ended
  if (userId === undefined) return
  const noted: UsedGrant[] = []
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await noteOnce(service, userId, ended, noted)) return
  }
  throw new Error('the grants of the user change too often')
}

/**
 * Returns false if a grant has changed since it was read.
 *
 * @param noted Grants whose clients are noted: it adds to them
 */
async function noteOnce(
  service: Service,
  userId: string,
  ended: Ended,
  noted: UsedGrant[],
): Promise<boolean> {
  const storage = getGrantStorage(service)
  const now = getNow(service)
  const hasEnded = await findEnded(service, userId, ended)
  for (const each of await listGrantsOf(service, { userId }, now)) {
    const { grant, data } = each
    if (data.sessionId === undefined || !hasEnded(data.sessionId)) continue
    const changes = {
      data: JSON.stringify({ ...data, sessionId: undefined }),
      ...(!isUsed(each) && { expires: now }),
    }
    const rows = toLogoutRows({ service }, [each], noted)
    if (!(await storage.updateGrant(grant.id, grant.version, changes, rows))) return false
    noted.push(each)
  }
  return true
}

/** Returns the events that tell clients of the end of what grants name, once for each session that no other grant names. */
export function toLogoutRows(
  caller: Caller,
  ended: readonly UsedGrant[],
  others: readonly UsedGrant[],
): readonly StoredEvent[] {
  const { outbox } = caller.service
  if (!outbox) return []
  const told = new Map(ended.flatMap(toTold))
  for (const [key] of others.flatMap(toTold)) told.delete(key)
  const request = caller.options && caller
  const now = getNow(caller.service)
  return [...told.values()].map((each) => outbox.toOwnRow(LOGOUT, each, now, request))
}

/** A client whose code was not used knows no session. */
function toTold({
  grant: { clientId, userId },
  data,
}: UsedGrant): readonly (readonly [string, Told])[] {
  const { sessionId, redeemedAt } = data
  if (userId === null || sessionId === undefined || redeemedAt === undefined) return []
  const told: Told = { clientId, userId, sessionId }
  return [[JSON.stringify(told), told]]
}

/** Returns whether a session has ended. Of all sessions, those that have begun since live. */
async function findEnded(
  service: Service,
  userId: string,
  { sessionId, replaced = [] }: Ended,
): Promise<(id: string) => boolean> {
  if (sessionId !== undefined) return (id) => [sessionId, ...replaced].includes(id)
  const storage = requireStorage(service.storage, 'openIdLogout', ['sessions', 'sessionLists'])
  const sessions = await storage.listSessions(userId, getNow(service))
  const living = new Set(sessions.flatMap(listSessionIds))
  return (id) => !living.has(id)
}

/** Posts a logout token (§2.5). If the client does not accept it, the outbox tries again. */
async function tellClient(
  service: Service,
  { clientId, userId, sessionId }: Told,
  toSubject: ToSubject,
): Promise<void> {
  const server = getServer(service)
  const now = getNow(service)
  const client = await findOwn({ service, now }, server.settings, clientId)
  if (client?.backchannelLogoutUri === undefined) return
  const claims = {
    iss: `${service.origin}${service.basePath}`,
    aud: clientId,
    iat: now,
    exp: now + LIFETIME,
    jti: server.random(16),
    sub: await toSubject(client, userId),
    sid: await toSid(client, sessionId),
    events: { [EVENT]: {} },
  }
  const token = await server.signer.sign(claims, 'logout+jwt', getAlgorithm(server.signer))
  const { ok, status, body } = await service.runtime.fetch(client.backchannelLogoutUri, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout(service.timeouts.request * 1000),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ logout_token: token })),
  })
  await body?.cancel()
  if (!ok) throw new Error(`the client ${clientId} has answered ${status}`)
}
