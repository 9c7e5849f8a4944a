import { endSession, postEndSession } from './logout/end-session.ts'
import { noteClients, tellClients, toLogoutRows } from './logout/tell-clients.ts'
import type { OpenIdLogout } from './parts.ts'

/**
 * Signs users out for clients at `/end-session` (OpenID Connect RP-Initiated Logout 1.0), and tells clients with
 * `backchannelLogoutUri` of the end of sessions (Back-Channel Logout 1.0), for which the service needs the option `outbox`: the option
 * `logout` of `openId()`.
 *
 * @example
 *   import { authorizationServer, openId, openIdLogout } from '@latchkey/authorization-server'
 *
 *   const server = authorizationServer({
 *     resources: { 'https://api.example.com/notes': { scopes: { read: { en: 'Read your notes' } } } },
 *     clients: [
 *       {
 *         id: 'partner',
 *         name: 'Partner',
 *         redirectUris: ['https://partner.example/cb'],
 *         postLogoutRedirectUris: ['https://partner.example/'],
 *         backchannelLogoutUri: 'https://partner.example/logout',
 *       },
 *     ],
 *     openid: openId({ logout: openIdLogout() }),
 *   })
 */
export function openIdLogout(): OpenIdLogout {
  return {
    routes: [
      { method: 'GET', path: '/end-session', action: endSession },
      { method: 'POST', path: '/end-session', isUnguarded: true, action: postEndSession },
    ],
    start: tellClients,
    noteEnded: (service, userId) => noteClients(service, { userId }),
    toRows: toLogoutRows,
    describe: (issuer) => ({
      end_session_endpoint: `${issuer}/end-session`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    }),
  }
}
