import type { AuthConfig, Callbacks, Events, SessionOptions } from './config.ts'
import type { CookiesOptions } from './http/cookie-names.ts'
import { cookieTable } from './http/cookies.ts'
import type { Timeouts } from './http/outbound-fetch.ts'
import { assertKnownNames } from './lib/known-names.ts'
import type { Names } from './lib/known-names.ts'
import type { ThemeOptions } from './pages/theme.ts'
import type { Runtime } from './ports/runtime.ts'
import type { SessionToken } from './session/session-claims.ts'

const options: Names<AuthConfig> = {
  secret: true,
  providers: true,
  serviceUrl: true,
  trustHost: true,
  trustedOrigins: true,
  allowInsecure: true,
  storage: true,
  callbacks: true,
  session: true,
  tokens: true,
  events: true,
  pages: true,
  theme: true,
  messages: true,
  cookies: true,
  limits: true,
  limiter: true,
  timeouts: true,
  logger: true,
  runtime: true,
}

interface Groups {
  readonly callbacks: Names<Callbacks<unknown, SessionToken>>
  readonly events: Names<Events>
  readonly session: Names<SessionOptions<SessionToken>>
  readonly theme: Names<ThemeOptions>
  readonly cookies: Readonly<Record<keyof CookiesOptions, unknown>>
  readonly timeouts: Names<Timeouts>
  readonly runtime: Names<Runtime>
}

/** The options that are objects; `pages` and `limits` check their own members. */
const groups: Groups = {
  callbacks: { signIn: true, redirect: true, jwt: true, session: true },
  events: {
    signIn: true,
    signInFailed: true,
    signOut: true,
    createUser: true,
    updateUser: true,
    linkAccount: true,
    unlinkAccount: true,
    session: true,
    updateSession: true,
    revokeSession: true,
    providerLogout: true,
  },
  session: {
    strategy: true,
    revocable: true,
    acceptsDeletedUsers: true,
    importFrom: true,
    empty: true,
    accessTokens: true,
    maxAge: true,
    updateAge: true,
    absoluteMaxAge: true,
    update: true,
  },
  theme: {
    colorScheme: true,
    light: true,
    dark: true,
    radius: true,
    fontFamily: true,
    brand: true,
    marks: true,
    legal: true,
  },
  cookies: cookieTable,
  timeouts: { request: true, callback: true, answer: true },
  runtime: { fetch: true, now: true, monotonic: true, schedule: true, random: true },
}

/**
 * Checks that the configuration and its groups have no unknown members.
 *
 * @throws ConfigurationError naming the member, and the one that was probably meant
 */
export function assertKnownOptions(config: AuthConfig<unknown, SessionToken>): void {
  assertKnownNames('', config, Object.keys(options))
  for (const [group, names] of Object.entries(groups) as [keyof Groups, object][]) {
    assertKnownNames(group, config[group], Object.keys(names))
  }
  for (const [cookie, value] of Object.entries(config.cookies ?? {})) {
    const names = cookie === 'session' ? ['name', 'domain'] : ['name']
    assertKnownNames(`cookies.${cookie}`, value as object | undefined, names)
  }
}
