import { postAccount, showAccount } from './actions/account.ts'
import { postCallback, receiveCallback, receiveHead } from './actions/callback.ts'
import { readCsrf } from './actions/csrf.ts'
import { endSessions } from './actions/end-sessions.ts'
import { showError } from './actions/error.ts'
import { listProviders } from './actions/providers.ts'
import { getSession, updateSession } from './actions/session.ts'
import { postSignIn, showProvider, showSignIn } from './actions/signin.ts'
import { showSignOut, signOut } from './actions/signout.ts'
import { listKeys, postToken } from './actions/token.ts'
import { showVerifyRequest } from './actions/verify-request.ts'
import type { Context, Input, ProviderInput, Service } from './kernel/context.ts'
import { csrfToken, knownOrigin, startLimit, tokenLimit, topLevelNavigation } from './gates.ts'
import type { Gate } from './gates.ts'
import type { MediaType } from './http/body.ts'
import type { Reply } from './http/reply.ts'
import type { Provider } from './ports/provider.ts'
import { getSecondFactors } from './second-factor/get-second-factors.ts'
import type { RouteOrigins } from './http/trusted-origins.ts'
import { sealPostedCallback } from './sign-in/posted-callback.ts'

/** Answers a request that has passed its gates. */
type Action<I extends Input = Input> = (ctx: Context, input: I) => Reply | Promise<Reply>

/**
 * How a browser sees an error (I-7): `errorPage`, the error page at this URL; `redirect`, the page of
 * the error's code, so that nothing of this URL stays in the location bar; `signInPage` and
 * `signOutPage` and `accountPage`, the posted page again, or the page of the error's code.
 */
type ErrorView = 'errorPage' | 'redirect' | 'signInPage' | 'signOutPage' | 'accountPage'

/** One row of the table. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Relative to the base path; `:provider` is the id of a configured provider, any other id is 404. */
  readonly path: string
  /** What clients expect: pages and redirects, JSON, or what their `Accept` says. */
  readonly speaks: 'html' | 'json' | 'either'
  /** The media types of the body; none if there is no body. */
  readonly accepts: readonly MediaType[]
  /** Whose pages may read the answer. */
  readonly origins: RouteOrigins
  readonly gates: readonly Gate<ProviderInput>[]
  readonly action: Action<ProviderInput>
  readonly onError: ErrorView
  /** Without this option the path is not found. */
  readonly option: 'tokens' | 'account' | 'securityEmails' | undefined
}

const form = 'application/x-www-form-urlencoded'
const data = 'application/json'

const guarded = [knownOrigin, csrfToken]
const starts = [...guarded, startLimit]
const issues = [...guarded, tokenLimit]
const callback = [topLevelNavigation]
const posted = [sealPostedCallback, ...guarded, ...callback]

/** The whole REST interface. A HEAD without a separate row is answered by its GET (I-5). */
// prettier-ignore
export const routes: readonly Route[] = [
  // method  path                   speaks  accepts       origins        gates     action             onError          option
  row('GET',  '/signin',              'html', [],           'own',         [],       showSignIn,        'errorPage'),
  row('GET',  '/signin/:provider',    'html', [],           'own',         [],       showProvider,      'errorPage'),
  row('POST', '/signin/:provider',    'html', [form, data], 'trusted',     starts,   postSignIn,        'signInPage'),
  row('GET',  '/callback/:provider',  'html', [],           'own',         callback, receiveCallback,   'redirect'),
  row('HEAD', '/callback/:provider',  'html', [],           'own',         [],       receiveHead,       'errorPage'),
  row('POST', '/callback/:provider',  'html', [form],       'credentials', posted,   postCallback,      'signInPage'),
  row('GET',  '/signout',             'html', [],           'own',         [],       showSignOut,       'errorPage'),
  row('POST', '/signout',             'html', [form, data], 'trusted',     guarded,  signOut,           'signOutPage'),
  row('GET',  '/session',             'json', [],           'trusted',     [],       getSession,        'errorPage'),
  row('POST', '/session',             'json', [form, data], 'trusted',     guarded,  updateSession,     'errorPage'),
  row('GET',  '/csrf',                'json', [],           'trusted',     [],       readCsrf,          'errorPage'),
  row('GET',  '/providers',           'json', [],           'trusted',     [],       listProviders,     'errorPage'),
  row('GET',  '/account',             'either', [],         'own',        [],       showAccount,       'redirect',      'account'),
  row('POST', '/account',             'html', [form, data], 'own',          starts,   postAccount,       'accountPage',   'account'),
  row('POST', '/token',               'json', [form, data], 'trusted',     issues,   postToken,         'errorPage',     'tokens'),
  row('GET',  '/jwks',                'json', [],           'own',         [],       listKeys,          'errorPage',     'tokens'),
  row('GET',  '/error',               'html', [],           'own',         [],       showError,         'errorPage'),
  row('GET',  '/verify-request',      'html', [],           'own',         [],       showVerifyRequest, 'errorPage'),
  row('GET',  '/end-sessions',        'html', [],           'own',         [],       endSessions,       'errorPage',     'securityEmails'),
  row('POST', '/end-sessions',        'html', [form, data], 'own',         guarded,  endSessions,       'errorPage',     'securityEmails'),
]

/** A path of the table: its rows by method, and the provider's id in it. */
export interface Match {
  readonly rows: ReadonlyMap<string, Route>
  readonly providerId: string | undefined
}

/**
 * Finds a request's rows by its raw, undecoded path, case-sensitively, segment by segment; one
 * trailing slash is tolerated (I-3).
 *
 * @param url An absolute URL, as `Request.url` gives it
 */
export function matchRoute(
  service: { readonly basePath: string } & Readonly<Record<NonNullable<Route['option']>, unknown>>,
  url: string,
): Match | undefined {
  const match = matchPath(service.basePath, url)
  for (const { option } of match?.rows.values() ?? []) {
    if (option && !service[option]) return undefined
  }
  return match
}

function matchPath(basePath: string, url: string): Match | undefined {
  const path = getPath(url)
  if (!path.startsWith(basePath) || path[basePath.length] !== '/') return undefined
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const rest = path.slice(basePath.length, end)
  const slash = rest.indexOf('/', 1)
  if (slash === -1) return toMatch(rest, undefined)
  return toMatch(`${rest.slice(0, slash)}/:provider`, rest.slice(slash + 1))
}

/** Returns the provider that a path names: a form can be posted to a method of a second factor too (I-52.6). */
export function findProvider(
  service: Pick<Service, 'providers' | 'secondFactor'>,
  { rows, providerId = '' }: Match,
  method = 'POST',
): Provider | undefined {
  const provider = service.providers.get(providerId)
  if (provider || rows.get(method)?.action !== postSignIn) return provider
  return getSecondFactors(service)?.providers.get(providerId)
}

/** Returns the row of a method; a HEAD without a separate row has the row of its GET. */
export function getRoute({ rows }: Match, method: string): Route | undefined {
  return rows.get(method) ?? (method === 'HEAD' ? rows.get('GET') : undefined)
}

const byPath: ReadonlyMap<string, ReadonlyMap<string, Route>> = indexByPath(routes)

function toMatch(path: string, providerId: string | undefined): Match | undefined {
  const rows = byPath.get(path)
  return rows && { rows, providerId }
}

/** The routes by which a client of another base path is recognised: other paths are common elsewhere too. */
const typical: ReadonlySet<string> = new Set(['signin', 'signout', 'session', 'csrf', 'providers'])

/**
 * Returns what comes before the route with which the path of a URL ends; undefined if it ends with none. The
 * path is cut once: any client can send a long one.
 *
 * @param url An absolute URL, as `Request.url` gives it
 */
export function guessBasePath(url: string): string | undefined {
  const path = getPath(url)
  const segments = (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
  const [parent = '', last = ''] = segments.slice(-2)
  if (typical.has(last)) return segments.slice(0, -1).join('/')
  const hasProvider = /^(?:signin|callback)$/.test(parent) && /^[\w-]+$/.test(last)
  return hasProvider ? segments.slice(0, -2).join('/') : undefined
}

function getPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

function indexByPath(rows: readonly Route[]): ReadonlyMap<string, ReadonlyMap<string, Route>> {
  const paths = new Map<string, Map<string, Route>>()
  for (const route of rows) {
    const methods = paths.get(route.path) ?? new Map<string, Route>()
    paths.set(route.path, methods.set(route.method, route))
  }
  return paths
}

/** Creates a row. Only a path with `:provider` may have gates and an action that need one. */
function row<Path extends string>(
  method: Route['method'],
  path: Path,
  speaks: Route['speaks'],
  accepts: Route['accepts'],
  origins: RouteOrigins,
  gates: readonly Gate<InputOf<Path>>[],
  action: Action<InputOf<Path>>,
  onError: ErrorView,
  option?: Route['option'],
): Route {
  return { method, path, speaks, accepts, origins, gates, action, onError, option }
}

type InputOf<Path> = Path extends `${string}:provider` ? ProviderInput : Input
