import { checkOwnOrigin, limitClient, requireStorage } from '@latchkey/core/capability'
import type { Capability, EndReason, OptionParts } from '@latchkey/core/capability'
import { ConfigurationError, requireRevocable } from '@latchkey/core/capability/options'
import { checkboxRules } from '@latchkey/core/capability/pages'
import { confirmation } from '@latchkey/core/confirmation'
import { createSection } from './account-section.ts'
import { toLogoutRows } from './events.ts'
import { authorize, leadToGet, WAITING } from './browser/authorize.ts'
import { postConsent, showConsent, showConsentAgain } from './browser/consent.ts'
import { COOKIE, REQUEST_LIFETIME } from './browser/kept-request.ts'
import { MAX_QUERY } from './browser/request.ts'
import { CLIENT_GROUPS } from './clients/registered-clients.ts'
import { listGrantsOf, STORAGE_GROUPS } from './grant.ts'
import { createMembers, endGrantsOfUser } from './members.ts'
import type { AuthorizationServerMembers } from './members.ts'
import type { StoredClientMembers } from './clients/auth-clients.ts'
import type { StoredClients } from './parts.ts'
import { consentRules } from './pages/consent-rules.ts'
import { getNow, keepSettings } from './server.ts'
import { ID, resolveSettings } from './settings.ts'
import type { AuthorizationServerOptions, Settings } from './settings.ts'

/**
 * Lets other programs act for the users of the service, as an authorization server (RFC 6749): an element of `use`, beside
 * `apiTokens()`, whose keys sign the tokens. Call `auth.programs` before `auth.handle`. It needs `serviceUrl`, and a storage
 * with the capabilities `grants`, `increment` and `revocations`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { authorizationServer } from '@latchkey/authorization-server'
 *   import { apiTokens } from '@latchkey/tokens'
 *   import type { TokenKey } from '@latchkey/tokens'
 *
 *   declare const config: AuthConfig
 *   declare const keys: readonly TokenKey[]
 *   const auth = createAuth({
 *     ...config,
 *     serviceUrl: 'https://app.example.com',
 *     use: [
 *       apiTokens({ keys, audience: 'https://api.example.com' }),
 *       authorizationServer({
 *         resources: {
 *           'https://api.example.com/notes': { scopes: { read: { en: 'Read your notes' } } },
 *         },
 *         clients: [{ id: 'partner', name: 'Partner', redirectUris: ['https://partner.example/cb'] }],
 *       }),
 *     ],
 *   })
 *   const answer = (request: Request): Promise<Response> =>
 *     auth.programs(request) ?? auth.handle(request)
 *
 * @throws ConfigurationError `authorizationServer.…`
 */
export function authorizationServer(
  options: AuthorizationServerOptions & { readonly storedClients: StoredClients },
): Capability<AuthorizationServerMembers & StoredClientMembers>
export function authorizationServer(
  options: AuthorizationServerOptions,
): Capability<AuthorizationServerMembers>
export function authorizationServer(
  options: AuthorizationServerOptions,
): Capability<AuthorizationServerMembers> {
  const settings = resolveSettings(options)
  const { authorizationsPerClient } = settings.limits
  return {
    id: ID,
    needs: [confirmation()],
    check: (parts) => checkParts(parts, settings),
    start(service) {
      keepSettings(service, settings)
      settings.openid?.start(service)
    },
    style: [checkboxRules, consentRules],
    limits: Object.values(settings.limits),
    cookies: { [COOKIE]: { maxAge: REQUEST_LIFETIME, rank: 0, isStep: true } },
    fields: [WAITING, 'session', 'decision', ...(settings.device?.fields ?? [])],
    routes: [
      {
        method: 'GET',
        path: '/authorize',
        gates: [(ctx) => limitClient(ctx, authorizationsPerClient)],
        action: authorize,
      },
      {
        method: 'POST',
        path: '/authorize',
        isUnguarded: true,
        action: leadToGet('/authorize', MAX_QUERY),
      },
      { method: 'GET', path: '/consent', action: showConsent },
      {
        method: 'POST',
        path: '/consent',
        // A page of trustedOrigins must not consent for the user.
        gates: [async (ctx) => checkOwnOrigin(ctx, 'consent')],
        action: postConsent,
        onError: { show: showConsentAgain },
      },
      ...(settings.device?.routes ?? []),
      ...(settings.openid?.logout?.routes ?? []),
    ],
    account: [createSection(settings)],
    async endAll(service, userId, reason) {
      if (endsGrants(settings, reason)) await endGrantsOfUser(service, settings, userId)
    },
    // The storage deletes the grants with the user.
    deleting: async (service, userId, ctx) =>
      settings.openid?.logout && service.outbox
        ? toLogoutRows(ctx ?? { service }, await listGrantsOf(service, { userId }, getNow(service)))
        : [],
    members: (service) => createMembers(service, settings),
  }
}

/** Returns whether grants end with sessions. If a password is removed, the sessions stay, so the grants do. */
function endsGrants({ survivesRevokeAll }: Settings, reason: EndReason): boolean {
  if (reason === 'passwordRemoved') return false
  return reason === 'recovery' || !survivesRevokeAll
}

function checkParts(parts: OptionParts, { registration, storedClients }: Settings): void {
  if (parts.origin === undefined) throw new ConfigurationError(ID, 'needs the option serviceUrl')
  requireStorage(parts.storage, ID, STORAGE_GROUPS)
  if (registration) requireStorage(parts.storage, `${ID}.registration`, CLIENT_GROUPS)
  if (storedClients) requireStorage(parts.storage, `${ID}.storedClients`, CLIENT_GROUPS)
  requireRevocable(parts, ID)
}
