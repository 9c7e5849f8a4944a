import type {
  Action,
  Capability,
  CapabilityRoute,
  OnError,
  Gate,
  Input,
  ProviderInput,
  Route,
  Routes,
  Service,
} from '../kernel/context.ts'
import { postCallback, receiveCallback, receiveHead } from '../actions/callback.ts'
import { readCsrf } from '../actions/csrf.ts'
import { showError } from '../actions/error.ts'
import { listProviders } from '../actions/providers.ts'
import { getSession, updateSession } from '../actions/session.ts'
import { postSignIn, showProvider, showSignIn } from '../actions/signin.ts'
import { showSignOut, signOut } from '../actions/signout.ts'
import { replySignOutPage, showSignInAgain } from '../actions/page-replies.ts'
import { showVerifyRequest } from '../actions/verify-request.ts'
import { csrfToken, knownOrigin, startLimit, topLevelNavigation } from '../kernel/gates.ts'
import type { Provider } from '../ports/provider.ts'
import type { RouteOrigins } from '../http/trusted-origins.ts'
import { sealPostedCallback } from '../sign-in/posted-callback.ts'

const form = 'application/x-www-form-urlencoded'
const data = 'application/json'

const guarded = [knownOrigin, csrfToken]
const starts = [...guarded, startLimit]
const callback = [topLevelNavigation]
const errorPage: OnError = {}
const signInAgain: OnError = { show: showSignInAgain }
const signOutAgain: OnError = { show: replySignOutPage }
const leaves: OnError = { show: showSignInAgain, leaves: true }
const posted = [sealPostedCallback, ...guarded, ...callback]

/** The REST interface without that of capabilities. A HEAD without a separate row is answered by its GET (I-5). */
// prettier-ignore
export const routes: readonly Route[] = [
  // method  path                   speaks  accepts       origins        gates     action             onError
  row('GET',  '/signin',              'html', [],           'own',         [],       showSignIn,        errorPage),
  row('GET',  '/signin/:provider',    'html', [],           'own',         [],       showProvider,      errorPage),
  row('POST', '/signin/:provider',    'html', [form, data], 'trusted',     starts,   postSignIn,        signInAgain),
  row('GET',  '/callback/:provider',  'html', [],           'own',         callback, receiveCallback,   leaves),
  row('HEAD', '/callback/:provider',  'html', [],           'own',         [],       receiveHead,       errorPage),
  row('POST', '/callback/:provider',  'html', [form],       'credentials', posted,   postCallback,      signInAgain),
  row('GET',  '/signout',             'html', [],           'own',         [],       showSignOut,       errorPage),
  row('POST', '/signout',             'html', [form, data], 'trusted',     guarded,  signOut,           signOutAgain),
  row('GET',  '/session',             'json', [],           'trusted',     [],       getSession,        errorPage),
  row('POST', '/session',             'json', [form, data], 'trusted',     guarded,  updateSession,     errorPage),
  row('GET',  '/csrf',                'json', [],           'trusted',     [],       readCsrf,          errorPage),
  row('GET',  '/providers',           'json', [],           'trusted',     [],       listProviders,     errorPage),
  row('GET',  '/error',               'html', [],           'own',         [],       showError,         errorPage),
  row('GET',  '/verify-request',      'html', [],           'own',         [],       showVerifyRequest, errorPage),
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
  { basePath, capabilities: { routes: table } }: Pick<Service, 'basePath' | 'capabilities'>,
  url: string,
): Match | undefined {
  const whole = getPath(url)
  if (!whole.startsWith(basePath) || whole[basePath.length] !== '/') return undefined
  const end = whole.endsWith('/') ? whole.length - 1 : whole.length
  const rest = whole.slice(basePath.length, end)
  const slash = rest.indexOf('/', 1)
  const path = slash === -1 ? rest : `${rest.slice(0, slash)}/:provider`
  const rows = table.get(path)
  return rows && { rows, providerId: slash === -1 ? undefined : rest.slice(slash + 1) }
}

/** Returns the provider that a path names: a form can be posted to a method of a second factor too (I-52.6). */
export function findProvider(
  service: Pick<Service, 'providers' | 'capabilities'>,
  { rows, providerId = '' }: Match,
  method = 'POST',
): Provider | undefined {
  const provider = service.providers.get(providerId)
  if (provider || rows.get(method)?.action !== postSignIn) return provider
  return service.capabilities.methods.get(providerId)?.provider
}

/** Returns the row of a method; a HEAD without a separate row has the row of its GET. */
export function getRoute({ rows }: Match, method: string): Route | undefined {
  return rows.get(method) ?? (method === 'HEAD' ? rows.get('GET') : undefined)
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

/** Returns the table of a service: its own routes, and those of its capabilities, which differ. */
export function createRoutes(capabilities: readonly Capability[]): Routes {
  const table = new Map<string, Map<string, Route>>()
  const own = capabilities.flatMap(({ routes: rows = [] }) => rows.map(toRoute))
  for (const route of [...routes, ...own]) {
    const methods = table.get(route.path) ?? new Map<string, Route>()
    table.set(route.path, methods.set(route.method, route))
  }
  return table
}

function toRoute(own: CapabilityRoute): Route {
  const {
    method,
    path,
    speaks = 'html',
    origins = 'own',
    isUnguarded = false,
    gates = [],
    action,
    onError = errorPage,
  } = own
  const isPost = method === 'POST'
  const types: Route['accepts'] = isUnguarded ? [form] : [form, data]
  const accepts = isPost ? types : []
  const checks = [...(isPost && !isUnguarded ? guarded : []), ...gates]
  return row(method, path, speaks, accepts, origins, checks, action, onError)
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
  onError: OnError,
): Route {
  return { method, path, speaks, accepts, origins, gates, action, onError }
}

type InputOf<Path> = Path extends `${string}:provider` ? ProviderInput : Input
