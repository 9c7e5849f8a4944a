import { receiveForm, receiveNothing, receiveQuery } from './actions/callback.ts'
import { readCsrf } from './actions/csrf.ts'
import { showError, showVerifyRequest } from './actions/pages.ts'
import { listProviders } from './actions/providers.ts'
import { readSession, updateSession } from './actions/session.ts'
import { showProvider, showSignIn, startSignIn } from './actions/signin.ts'
import { showSignOut, signOut } from './actions/signout.ts'
import type { Context } from './context.ts'
import type { MediaType } from './http/body.ts'
import { csrf, limit } from './gates.ts'
import type { Reply } from './http/reply.ts'
import { bounce } from './sign-in/posted-callback.ts'

/** A check before the action: it throws to refuse, and may answer in the action's place. */
export type Gate = (ctx: Context) => Promise<Reply | undefined | void>

/** One row of the table. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Relative to the base path; `:provider` is a configured provider's id, anything else is 404. */
  readonly path: string
  /** What refusals look like: pages and redirects, or JSON. */
  readonly speaks: 'html' | 'json'
  /** Media types of the body. */
  readonly accepts: readonly MediaType[]
  readonly gates: readonly Gate[]
  readonly action: (ctx: Context) => Reply | Promise<Reply>
}

const form = 'application/x-www-form-urlencoded'
const data = 'application/json'

/** The whole REST interface. A HEAD without a row of its own is answered by its GET (I-5). */
// prettier-ignore
export const routes: readonly Route[] = [
  row('GET',  '/signin',              'html', [],           [],                    showSignIn),
  row('GET',  '/signin/:provider',    'html', [],           [],                    showProvider),
  row('POST', '/signin/:provider',    'html', [form, data], [csrf],                startSignIn),
  row('GET',  '/callback/:provider',  'html', [],           [limit],               receiveQuery),
  row('HEAD', '/callback/:provider',  'html', [],           [],                    receiveNothing),
  row('POST', '/callback/:provider',  'html', [form],       [bounce, csrf, limit], receiveForm),
  row('GET',  '/signout',             'html', [],           [],                    showSignOut),
  row('POST', '/signout',             'html', [form, data], [csrf],                signOut),
  row('GET',  '/session',             'json', [],           [],                    readSession),
  row('POST', '/session',             'json', [form, data], [csrf],                updateSession),
  row('GET',  '/csrf',                'json', [],           [],                    readCsrf),
  row('GET',  '/providers',           'json', [],           [],                    listProviders),
  row('GET',  '/error',               'html', [],           [],                    showError),
  row('GET',  '/verify-request',      'html', [],           [],                    showVerifyRequest),
]

/** A path that is in the table: its rows by method, and the provider's id that stood in it. */
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
export function matchRoute(url: string, basePath: string): Match | undefined {
  const path = pathOf(url)
  if (!path.startsWith(basePath) || path[basePath.length] !== '/') return undefined
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const rest = path.slice(basePath.length, end)
  const slash = rest.indexOf('/', 1)
  if (slash === -1) return found(rest, undefined)
  return found(`${rest.slice(0, slash)}/:provider`, rest.slice(slash + 1))
}

const byPath: ReadonlyMap<string, ReadonlyMap<string, Route>> = index(routes)

function found(path: string, providerId: string | undefined): Match | undefined {
  const rows = byPath.get(path)
  return rows && { rows, providerId }
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

function index(rows: readonly Route[]): ReadonlyMap<string, ReadonlyMap<string, Route>> {
  const paths = new Map<string, Map<string, Route>>()
  for (const route of rows) {
    const methods = paths.get(route.path) ?? new Map<string, Route>()
    paths.set(route.path, methods.set(route.method, route))
  }
  return paths
}

function row(
  method: Route['method'],
  path: string,
  speaks: Route['speaks'],
  accepts: Route['accepts'],
  gates: Route['gates'],
  action: Route['action'],
): Route {
  return { method, path, speaks, accepts, gates, action }
}
