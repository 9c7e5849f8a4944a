import type { StoredEvent } from '@latchkey/core'
import { getCauses, keepAlive } from '@latchkey/core/capability'
import type { Context, Service } from '@latchkey/core/capability'
import { getGrantName } from './clients/shown-name.ts'
import { getGrantStorage, listGrantsOf } from './grant.ts'
import type { GrantInfo, UsedGrant } from './grant.ts'
import type { Caller } from './parts.ts'
import { getNow, getServer } from './server.ts'
import { ID } from './settings.ts'
import type { AuthorizationServerEvents, GrantEvent, Settings } from './settings.ts'

type Payload<Name extends keyof AuthorizationServerEvents> = Parameters<
  NonNullable<AuthorizationServerEvents[Name]>
>[0]
type Listeners = {
  readonly [Name in keyof AuthorizationServerEvents]?: (event: Payload<Name>) => unknown
}

/** Calls the listener of an event, after the change is stored. If it throws, that is logged and changes nothing. */
export async function callListener<Name extends keyof AuthorizationServerEvents>(
  service: Service,
  name: Name,
  event: Payload<Name>,
): Promise<void> {
  const listeners: Listeners = getServer(service).settings.events
  try {
    await listeners[name]?.(event)
  } catch (thrown) {
    service.log.error(`${ID}.events.${name} threw`, { causes: getCauses(thrown) })
  }
}

/** Emits an event of a request. The reply does not wait for its listener. */
export function emit<Name extends keyof AuthorizationServerEvents>(
  ctx: Pick<Context, 'service' | 'options'>,
  name: Name,
  event: Payload<Name>,
): void {
  keepAlive(
    ctx,
    Promise.resolve().then(() => callListener(ctx.service, name, event)),
  )
}

/** Returns a grant as events describe it. */
export function toGrantEvent(service: Service, used: UsedGrant): GrantEvent {
  const { settings } = getServer(service)
  const { userId, clientId } = used.grant
  return { userId: userId ?? '', clientId, grant: toGrantInfo(settings, used) }
}

/** Returns a grant as `auth.grants` lists it. */
export function toGrantInfo(settings: Settings, { grant, data }: UsedGrant): GrantInfo {
  const { id, clientId, resource, scopes, createdAt, changedAt: lastUsedAt, expires } = grant
  const clientName = getGrantName(settings, grant, data)
  return { id, clientId, clientName, resource, scopes, createdAt, lastUsedAt, expires }
}

/**
 * Returns events that tell the clients of grants which end before their sessions: nothing names these clients afterwards.
 *
 * @param kept Grants that stay: a session that one of them names goes on at its client. Default: none
 */
export function toLogoutRows(
  caller: Caller,
  ended: readonly UsedGrant[],
  kept: readonly UsedGrant[] = [],
): readonly StoredEvent[] {
  const { logout } = getServer(caller.service).settings.openid ?? {}
  return logout?.toRows(caller, ended, kept) ?? []
}

type GrantSelection = Parameters<ReturnType<typeof getGrantStorage>['deleteGrants']>[0]

/** Deletes grants. Their clients are told, unless all grants of a client end: it is mostly gone itself. */
export async function deleteGrants(caller: Caller, selection: GrantSelection): Promise<void> {
  const { service } = caller
  const { openid } = getServer(service).settings
  const isTold = openid?.logout !== undefined && selection.userId !== undefined
  const ended = isTold ? await listGrantsOf(service, selection, getNow(service)) : []
  await getGrantStorage(service).deleteGrants(selection, toLogoutRows(caller, ended))
}
