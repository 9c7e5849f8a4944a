import { expect } from 'vitest'
import { ConfigurationError, createAuth } from '@latchkey/core'
import type {
  Auth,
  AuthConfig,
  Capability,
  DefaultSession,
  LogDetails,
  SessionToken,
  SessionTypes,
  UntypedToken,
} from '@latchkey/core'
import type { MembersOf } from '@latchkey/core/capability'
import { Browser } from '@latchkey/testing/browser'
import { asDocumented } from './openapi.ts'
import { passport, toCallbackUrl } from './passport.ts'

export { idp, passport, toCallbackUrl } from './passport.ts'

export const origin = 'https://app.example'
export const base: string = `${origin}/api/auth`
export const secret = 'a secret of thirty-two bytes or more'
/** Returns random bytes of the platform, as `Runtime.random` does. */
export const random = (length: number): Uint8Array<ArrayBuffer> =>
  crypto.getRandomValues(new Uint8Array(length))

/** A user in the default view of a session (I-33). */
export type SessionUser = DefaultSession['user']

/** One call of the logger. */
export interface LogLine {
  readonly level: string
  readonly message: string
  readonly details: LogDetails
}

/** The options of {@link serve}, with the default session. */
export type ServiceOptions = Partial<AuthConfig>

/** A service under test. */
export interface TestService<
  Session,
  Token extends SessionToken = SessionToken,
  Members = unknown,
> {
  readonly auth: Auth<Session, Token> & Members
  /** Creates a browser without cookies. */
  readonly browse: () => Browser
  /** Advances the service's clock. */
  readonly wait: (seconds: number) => void
  /** The calls of the logger. */
  readonly lines: LogLine[]
}

/** When the clocks of the services of a storage started, in milliseconds. */
const starts = new WeakMap<object, number>()

/**
 * Creates a service at https://app.example with {@link passport} and a clock that only the test advances: a
 * busy machine does not bring a session or a key nearer to its end. Several with one storage are several
 * processes, whose clocks agree.
 */
export function serve<
  Session = DefaultSession,
  Token extends SessionToken = UntypedToken,
  Fields = unknown,
  Renewed extends SessionToken = Token,
  Updated extends SessionToken = Token,
  Emitted extends SessionTypes = { readonly session: Session; readonly token: Token },
  const Use extends readonly Capability[] = readonly Capability[],
>(
  over: Partial<AuthConfig<Session, Token, Fields, Renewed, Updated, Emitted>> & {
    readonly use?: Use | readonly Capability[]
  } = {},
): TestService<Session, Token, MembersOf<Use>> {
  const storage = Object(over.storage) as object
  let now = starts.get(storage) ?? Date.now()
  starts.set(storage, now)
  const lines: LogLine[] = []
  const line = (level: string) => (message: string, details: LogDetails) => {
    lines.push({ level, message, details })
  }
  const auth = createAuth<Session, Token, Fields, Renewed, Updated, Emitted, Use>({
    serviceUrl: origin,
    secret,
    providers: [passport()],
    logger: { error: line('error'), warn: line('warn'), debug: line('debug') },
    ...over,
    runtime: { now: () => now, ...over.runtime },
  })
  const at = new URL(String(over.serviceUrl ?? origin))
  const root = at.pathname === '/' ? `${at.origin}/api/auth` : at.href
  const hasOwnSession = over.callbacks?.session !== undefined
  const handle = asDocumented(root, (request) => auth.handle(request), hasOwnSession)
  return {
    auth,
    browse: () => new Browser(handle, root),
    wait: (seconds) => {
      now += seconds * 1000
    },
    lines,
  }
}

/** Returns capabilities, with those of `over` in place of those that have the same id. */
export function mergeUse(
  use: readonly Capability[],
  over: readonly Capability[] = [],
): readonly Capability[] {
  const replaced = new Set(over.map(({ id }) => id))
  return [...use.filter(({ id }) => !replaced.has(id)), ...over]
}

/** Returns the option and the problem of an invalid configuration; `undefined` if it is valid. */
export function getConfigError(
  config: () => Partial<AuthConfig>,
): readonly [option: string, problem: string] | undefined {
  try {
    serve(config())
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    expect(thrown.message).toBe(`${thrown.option}: ${thrown.problem}`)
    return [thrown.option, thrown.problem]
  }
}

/** Begins a sign-in and returns the URL that it redirects to. */
export async function beginSignIn(
  browser: Browser,
  fields: Record<string, string> = {},
  path = '/signin/passport',
): Promise<URL> {
  const response = await browser.submit(path, fields)
  const location = response.headers.get('location')
  if (response.status !== 302 || location === null) {
    throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`)
  }
  return new URL(location)
}

/** Signs a user in with the passport and returns the response of the callback. */
export async function signIn(
  browser: Browser,
  subject = 'alice',
  fields: Record<string, string> = {},
): Promise<Response> {
  return signInWith(browser, 'passport', subject, fields)
}

/** Signs a user in with a provider and returns the response of the callback. */
export async function signInWith(
  browser: Browser,
  provider: string,
  subject = 'alice',
  fields: Record<string, string> = {},
): Promise<Response> {
  const request = await beginSignIn(browser, fields, `/signin/${provider}`)
  return browser.visit(toCallbackUrl(request, subject))
}

/** Returns the user of a browser's session. */
export async function getUser(browser: Browser): Promise<SessionUser> {
  const { user } = (await browser.json('/session')) as { user?: SessionUser }
  if (!user) throw new Error('expected a session, found none')
  return user
}

/** Returns the names of a browser's flow cookies. */
export function getFlowCookies({ cookies }: Browser): string[] {
  return [...cookies.keys()].filter((name) => name.startsWith('__Host-latchkey.flow.'))
}

/** Returns whether a response sets the cookie of the CSRF token. */
export function setsCsrfToken({ headers }: Response): boolean {
  return headers.getSetCookie().some((line) => line.startsWith('__Host-latchkey.csrf='))
}

/** Returns the `Cookie` header of a browser's requests. */
export function toCookieHeader({ cookies }: Pick<Browser, 'cookies'>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

/** Creates a request for a page of the application, with the cookies of a browser. */
export function createPageRequest(browser: Browser): Request {
  return new Request(`${origin}/page`, { headers: { cookie: toCookieHeader(browser) } })
}

/** Stores and deletes the cookies of a response in a browser. */
export function applyCookies({ cookies }: Pick<Browser, 'cookies'>, headers: Headers): void {
  for (const line of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (line.includes('Max-Age=0;')) cookies.delete(name)
    else cookies.set(name, value)
  }
}

/** Returns the path and the error code that a response redirects to. */
export function getRedirect(response: Response): {
  readonly path: string
  readonly error: string | null
} {
  const url = new URL(response.headers.get('location') ?? 'https://no-redirect.invalid')
  return { path: url.pathname, error: url.searchParams.get('error') }
}
