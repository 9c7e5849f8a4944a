import { getAccessTokenOfRequest } from './api/access-tokens.ts'
import { getSessionOfRequest, getTokenOfRequest } from './api/get-session.ts'
import type { Auth } from './api/auth.ts'
import type { AuthConfig, RenamedOptions } from './kernel/config.ts'
import type { DefaultSession, SessionTypes } from './kernel/callbacks.ts'
import type { SessionToken, UntypedToken } from './session/session-claims.ts'
import { ConfigurationError } from './lib/errors.ts'
import type { Capability, MembersOf, Service } from './kernel/context.ts'
import { createHandle } from './service/handle.ts'
import { answerInTime } from './lib/deadline.ts'
import { createService } from './service/service.ts'
import { createClaim } from './service/resolve-capabilities.ts'
import { keepService } from './kernel/auth-services.ts'

/**
 * Creates a sign-in service.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const auth = createAuth({
 *     serviceUrl: 'https://example.com',
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *   })
 *   const response = await auth.handle(new Request('https://example.com/api/auth/session'))
 *
 * @throws ConfigurationError naming the first invalid option
 */
export function createAuth<
  Session = DefaultSession,
  Token extends SessionToken = UntypedToken,
  Fields = unknown,
  Renewed extends SessionToken = Token,
  Updated extends SessionToken = Token,
  Emitted extends SessionTypes = { readonly session: Session; readonly token: Token },
  const Use extends readonly Capability[] = readonly Capability[],
>(
  config: AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted> &
    RenamedOptions & { readonly use?: Use | readonly Capability[] },
): Auth<Session, Token, Fields> & MembersOf<Use>
// Inside, a session is any result of `callbacks.session`, and a token any result of `callbacks.jwt`.
export function createAuth(config: AuthConfig<unknown, SessionToken>): Auth<unknown> {
  const service = createService(config)
  for (const { start } of service.capabilities.list) start?.(service)
  const auth = {
    basePath: service.basePath,
    handle: createHandle(service),
    getSession: (request, options) =>
      answerInTime(service, getSessionOfRequest(service, request, options)),
    getToken: (request) => answerInTime(service, getTokenOfRequest(service, request)),
    getAccessToken: (request, id, options) =>
      answerInTime(service, getAccessTokenOfRequest(service, request, id, options)),
    sessions: { list: refuseSessions, revoke: refuseSessions, revokeAll: refuseSessions },
    accounts: { list: refuseAccounts, unlink: refuseAccounts },
    users: { get: refuseUsers, update: refuseUsers, delete: refuseUsers, list: refuseUsers },
    ...service.storage?.code.createMembers(service),
  } satisfies Partial<Auth<unknown>>
  const all: Auth<unknown> = { ...given, ...auth, ...createMembers(service, auth) }
  return keepService(all, { service, config })
}

/**
 * Returns the members that capabilities give. Several may give the same function for members, and no member replaces another one.
 *
 * @param own The members of the service itself
 *
 * @throws ConfigurationError naming both owners and the member
 */
function createMembers(service: Service, own: object): object {
  const added = {}
  const claim = createClaim()
  claim('the service', { member: Object.keys(own) })
  const creators = new Set<Capability['members']>()
  for (const { id, members } of service.capabilities.list) {
    if (!members || creators.has(members)) continue
    creators.add(members)
    const created = Object(members(service))
    claim(id, { member: Object.keys(created) })
    Object.assign(added, created)
  }
  return added
}

const refuseFactors = refuse('auth.factors', 'secondFactor(), passwords() or passkeys() in use')

/** Members of which the service itself has only the refusal: a capability gives them. */
const given = {
  requireRecent: refuse('auth.requireRecent', 'confirmation() in use'),
  factors: { list: refuseFactors, remove: refuseFactors, rename: refuseFactors },
} satisfies Partial<Auth<unknown>>

const refuseUsers = refuse('auth.users', 'the option storage')
const refuseAccounts = refuse('auth.accounts', 'the option storage')
const refuseSessions = refuse('auth.sessions', 'the option storage')

/** Returns a function that rejects, because the service lacks what it needs. */
function refuse(call: string, needed: string): () => Promise<never> {
  return async () => {
    throw new ConfigurationError(call, `needs ${needed}`)
  }
}

export type { Auth } from './api/auth.ts'
export type { AccessToken } from './access-tokens/get-access-token.ts'
export type { AccessTokenOptions } from './api/access-tokens.ts'
export type { AuthAccounts, UnlinkResult } from './api/accounts.ts'
export type { GetSessionOptions, CurrentSession } from './api/get-session.ts'
export type { RecentOptions } from './confirmation/recent-options.ts'
export type {
  AuthFactors,
  FactorInfo,
  RemovedFactor,
  RemoveFactorOptions,
} from './kernel/auth-factors.ts'
export type { AuthSessions, SessionInfo } from './api/sessions.ts'
export type {
  AuthUsers,
  ListUsersOptions,
  UpdateUserResult,
  UserChanges,
  UserPage,
} from './api/users.ts'
export type { AuthConfig } from './kernel/config.ts'
export type {
  Callbacks,
  DefaultSession,
  JoinsUnverified,
  JwtArguments,
  SessionTypes,
  SignIn,
  SignInArguments,
} from './kernel/callbacks.ts'
export type { Capability } from './kernel/context.ts'
export type { Events, SignInEvent } from './kernel/events.ts'
export type { SessionOptions } from './kernel/session-options.ts'
export type { WrittenMail } from './email/compose-mail.ts'
export { AuthError, ConfigurationError } from './lib/errors.ts'
export type { AuthErrorOptions } from './lib/errors.ts'
export type { ErrorCode } from './ports/error-code.ts'
export type { Handle } from './service/handle.ts'
export { parseServiceUrl } from './http/base-url.ts'
export { parseTrustHost } from './http/trusted-hosts.ts'
export type { ServiceUrl } from './http/base-url.ts'
export type { CookiesOptions } from './http/cookie-names.ts'
export type { Timeouts } from './http/outbound-fetch.ts'
export { consoleLogger } from './lib/log.ts'
export type { AllowRedirect } from './http/return-url.ts'
export type { LimitsOptions } from './limits/limits.ts'
export type { MetadataCache } from './oauth/issuer-documents.ts'
export type { PagesOptions } from './pages/custom-pages.ts'
export type { MessagesOptions } from './pages/messages.ts'
export type { Theme } from './pages/theme.ts'
export type * from './ports/grants.ts'
export type * from './ports/import-source.ts'
export type * from './ports/limiter.ts'
export type * from './ports/logger.ts'
export type * from './ports/mailer.ts'
export type * from './ports/messages.ts'
export type * from './ports/provider.ts'
export type * from './ports/records.ts'
export type * from './ports/runtime.ts'
export type * from './ports/storage.ts'
export type * from './ports/user-fields.ts'
export type { SessionImporter } from './session/session-imports.ts'
export type { SessionToken, UntypedToken } from './session/session-claims.ts'
export type { CookieAccessTokens } from './access-tokens/token-keeper.ts'
