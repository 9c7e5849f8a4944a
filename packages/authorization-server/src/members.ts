import type { Auth } from '@latchkey/core'
import type { Service } from '@latchkey/core/capability'
import { ConfigurationError, checkKnownNames } from '@latchkey/core/capability/options'
import { callListener, deleteGrants, toGrantEvent, toGrantInfo, toLogoutRows } from './events.ts'
import {
  findLivingGrant,
  getEndOfUser,
  getGrantStorage,
  listUsedGrants,
  parseGrantData,
  toRevocationKey,
} from './grant.ts'
import type { GrantInfo } from './grant.ts'
import { answerProgram } from './programs.ts'
import { getNow } from './server.ts'
import { MAX_IDLE, checkStoredClient } from './settings.ts'
import type { Settings } from './settings.ts'

/** Which grants `auth.grants.removeAll` ends: of a user, of a client, or all that began before a time. */
export type GrantsToRemove =
  | { readonly userId: string; readonly clientId?: string }
  | { readonly clientId: string }
  /** Seconds since 1970, not in the future: after a backup was restored. */
  | { readonly before: number }

/** What users have allowed, for the application's own server: it does not check who calls it. */
export interface AuthGrants {
  /** Returns the living grants of a user whose code was used, the newest first: at most 100. */
  readonly list: (userId: string) => Promise<readonly GrantInfo[]>
  /** Ends a grant of a user. Access tokens live on for their minutes. Idempotent. */
  readonly remove: (userId: string, id: string) => Promise<void>
  /** Ends grants. Idempotent. */
  readonly removeAll: (selection: GrantsToRemove) => Promise<void>
}

/** What `auth` has with `authorizationServer()`. */
export interface AuthorizationServerMembers {
  readonly grants: AuthGrants
  /** Answers a request of a program; undefined for another one. {@link programs} of this object. */
  readonly programs: NonNullable<Auth['programs']>
}

const REMOVE_ALL = 'auth.grants.removeAll'

/** Creates the members of `auth`. */
export function createMembers(service: Service, settings: Settings): AuthorizationServerMembers {
  const clients = settings.storedClients?.createMembers(service, (client, fail) =>
    checkStoredClient(settings, client, service.outbox !== undefined, fail),
  )
  return {
    ...(clients && { clients }),
    grants: {
      list: (userId) => listGrants(service, settings, userId),
      remove: (userId, id) => removeGrant(service, userId, id),
      removeAll: (selection) => removeAll(service, settings, selection),
    },
    programs: (request, options) => answerProgram(service, request, options),
  }
}

async function listGrants(
  service: Service,
  settings: Settings,
  userId: string,
): Promise<readonly GrantInfo[]> {
  const used = await listUsedGrants(service, userId, getNow(service))
  return used.map((each) => toGrantInfo(settings, each))
}

async function removeGrant(service: Service, userId: string, id: string): Promise<void> {
  const living = await findLivingGrant({ service, now: getNow(service) }, id)
  if (living?.grant.userId !== userId) return
  await getGrantStorage(service).deleteGrant(id, toLogoutRows({ service }, [living]))
  service.outbox?.deliverSoon()
  if (living.data.redeemedAt === undefined) return
  await callListener(service, 'removeGrant', toGrantEvent(service, living))
}

async function removeAll(
  service: Service,
  settings: Settings,
  selection: GrantsToRemove,
): Promise<void> {
  if ('before' in selection) {
    await revokeBefore(service, settings, selection.before)
  } else {
    checkSelection(selection)
    await deleteGrants({ service }, selection)
  }
  service.outbox?.deliverSoon()
  await callListener(service, 'removeGrant', selection)
}

async function revokeBefore(service: Service, settings: Settings, before: number): Promise<void> {
  if (!Number.isInteger(before) || before > getNow(service)) {
    throw new ConfigurationError(`${REMOVE_ALL}.before`, 'must be a time in the past')
  }
  await revoke(service, settings, before)
}

/** Without types a user who was not found would select the grants of all users. */
function checkSelection(selection: object): void {
  const ids = Object.entries(selection)
  checkKnownNames(REMOVE_ALL, selection, ['userId', 'clientId'])
  const wrong = ids.find(([, id]) => typeof id !== 'string' || id === '')
  if (ids.length > 0 && !wrong) return
  const name = wrong ? `.${wrong[0]}` : ''
  throw new ConfigurationError(REMOVE_ALL + name, 'must be the id of a user or a client')
}

/**
 * Ends the grants of a user whose sessions all end. The time is recorded first, and compared when a grant is used: a request that
 * creates or refreshes one meanwhile does not keep it alive.
 */
export async function endGrantsOfUser(
  service: Service,
  settings: Settings,
  userId: string,
): Promise<void> {
  const now = getNow(service)
  const used = settings.events.removeGrant ? await listUsedGrants(service, userId, now) : []
  const previous = await getEndOfUser(getGrantStorage(service), userId, now)
  // Later than the previous end, which grants that began after it name.
  await revoke(service, settings, Math.max(now, previous + 1), userId)
  await deleteEnded(service, settings, userId)
  if (used.length > 0) await callListener(service, 'removeGrant', { userId })
}

/** Deletes ended grants, except those that name clients which are still to be told of the end of their sessions. */
async function deleteEnded(service: Service, settings: Settings, userId: string): Promise<void> {
  const storage = getGrantStorage(service)
  const { logout } = settings.openid ?? {}
  if (!logout || !service.outbox) return storage.deleteGrants({ userId })
  await logout.noteEnded(service, userId)
  for (const { id, data } of await storage.listGrants(userId, getNow(service))) {
    if (parseGrantData(data)?.sessionId === undefined) await storage.deleteGrant(id)
  }
}

/** Records the end for as long as a grant from before it can live, also if it was created with longer options. */
async function revoke(
  service: Service,
  { maxAge }: Settings,
  revokedAt: number,
  userId?: string,
): Promise<void> {
  const life = maxAge === Infinity ? FOREVER : Math.max(MAX_IDLE, maxAge)
  const key = await toRevocationKey(userId)
  await getGrantStorage(service).createRevocation({ key, revokedAt, expires: revokedAt + life })
}

/** Seconds of ten years: a grant that is used again and again has no end. */
const FOREVER = 3650 * 86_400
