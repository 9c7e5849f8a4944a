import { getService } from '../kernel/auth-services.ts'
import { callListener } from '../kernel/emit.ts'
import { AuthError, ConfigurationError } from '../lib/errors.ts'
import type { Handle } from '../service/handle.ts'
import { readBody } from '../http/body.ts'
import { isLocalUrl } from '../http/base-url.ts'
import { createProviderRuntime } from '../http/outbound-fetch.ts'
import type { Auth } from '../api/auth.ts'
import { answerInTime } from '../lib/deadline.ts'
import type { HostRequest } from '../lib/keep-alive.ts'
import { getCauses } from '../lib/log.ts'
import type { OpenIdClient } from '../ports/provider.ts'
import type { StoredEvent } from '../ports/records.ts'
import type { HandleOptions } from '../ports/runtime.ts'
import type { AccountSessions } from '../ports/storage.ts'
import { recordLogout } from './ended-by-provider.ts'
import type { Service } from '../kernel/context.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { verifyLogoutToken } from './logout-token.ts'
import type { LogoutToken } from './logout-token.ts'
import { createTries } from './logout-tries.ts'
import type { LogoutTries } from './logout-tries.ts'

const OPTION = 'createBackchannelLogout'

/**
 * Creates the handler at which an OpenID provider ends sessions (Back-Channel Logout 1.0). It is not
 * a route of the service: mount it outside the base path, and register its URL at the provider as
 * `backchannel_logout_uri`. `sid` ends the sessions that began in that session of the provider; without
 * it, `sub` ends those that began through that account. The event `providerLogout` is emitted.
 *
 * Sessions must be in a storage that keeps their accounts, or be `revocable`. With an `outbox` the handler uses
 * `waitUntil` of the host, as `handle` does.
 *
 * @param providerId The id of an OpenID Connect provider of the service
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { createBackchannelLogout } from '@latchkey/core/backchannel-logout'
 *
 *   declare const auth: Auth
 *   const endSessions = createBackchannelLogout(auth, 'keycloak')
 *   export default {
 *     async fetch(request: Request) {
 *       const { pathname } = new URL(request.url)
 *       const handle = pathname === '/logout/keycloak' ? endSessions : auth.handle
 *       return handle(request)
 *     },
 *   }
 *
 * @throws ConfigurationError if there is no such provider, or sessions cannot be ended by their account
 */
export function createBackchannelLogout<Session>(auth: Auth<Session>, providerId: string): Handle {
  const service = getService(auth, OPTION)
  const openid = service.providers.get(providerId)?.openid
  if (!openid) throw new ConfigurationError(OPTION, `no OpenID provider is "${providerId}"`)
  const storage = requireStorage(service.storage, OPTION, ['sessionAccounts'])
  if (!service.sessions.isRevocable) {
    throw new ConfigurationError(OPTION, 'needs session.strategy storage, or session.revocable')
  }
  const parts = { service, storage, openid, providerId, tries: createTries(storage) }
  return async (request, options = {}) => {
    if (request.method !== 'POST') return respond(405, undefined, { allow: 'POST' })
    try {
      await answerInTime(service, endSessions(parts, request, options))
      return respond(200)
    } catch (thrown) {
      return toErrorResponse(parts, thrown)
    }
  }
}

interface LogoutParts {
  readonly service: Service
  readonly storage: GuardedStorage
  readonly openid: OpenIdClient
  readonly providerId: string
  readonly tries: LogoutTries
}

async function endSessions(
  parts: LogoutParts,
  request: Request,
  options: HandleOptions,
): Promise<void> {
  const { service, storage, openid, providerId: provider, tries } = parts
  const form = 'application/x-www-form-urlencoded'
  const body = await readBody(service, request, [form], ['logout_token'])
  const runtime = createProviderRuntime(service.runtime, service.timeouts, {
    documents: service.getDocuments?.(options),
    isLocal: () => isLocalUrl(new URL(service.getBaseUrl(request).origin)),
  })
  const given = body.fields.get('logout_token') ?? ''
  const token = await verifyLogoutToken(openid, given, runtime)
  const now = Math.floor(service.runtime.now() / 1000)
  const caller = { service, options }
  // The deletion is idempotent: the token is spent once it has succeeded, so that it can be sent again.
  await tries.run(`logout ${provider} ${token.jti}`, now, async (spend) => {
    const rows = await toRows(parts, caller, token)
    const ended = toCondition(provider, token)
    await recordLogout(service, ended)
    const sessionIds = await storage.deleteAccountSessions(ended, rows)
    service.outbox?.deliverSoon(caller)
    await Promise.all([callListener(service, 'providerLogout', { provider, sessionIds }), spend()])
  })
}

/** Without an outbox nobody asks whose sessions end. */
async function toRows(
  { service: { outbox }, storage, providerId: provider }: LogoutParts,
  caller: HostRequest,
  { subject }: LogoutToken,
): Promise<readonly StoredEvent[] | undefined> {
  if (!outbox) return undefined
  const user = subject === undefined ? undefined : await storage.getUserByAccount(provider, subject)
  return outbox.toRows('providerLogout', { provider, userId: user?.id }, caller)
}

/** A session of the provider is of one user: `sub` adds nothing to it. */
function toCondition(provider: string, { sid, subject }: LogoutToken): AccountSessions {
  return sid === undefined ? { provider, providerAccountId: subject } : { provider, sid }
}

/** Back-Channel Logout 1.0 §2.8: 400 for a request that is refused, and for a logout that failed. */
function toErrorResponse({ service, providerId }: LogoutParts, thrown: unknown): Response {
  const isOurs = thrown instanceof AuthError && thrown.status >= 500
  service.log[isOurs ? 'error' : 'warn']('a back-channel logout was refused', {
    error: isOurs ? thrown.code : 'Default',
    provider: providerId,
    causes: getCauses(thrown),
  })
  return respond(400, { error: isOurs ? 'temporarily_unavailable' : 'invalid_request' })
}

function respond(
  status: number,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const type = body && { 'content-type': 'application/json; charset=utf-8' }
  return new Response(body ? JSON.stringify(body) : null, {
    status,
    headers: { 'cache-control': 'no-store', ...type, ...headers },
  })
}
