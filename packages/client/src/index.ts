import type { Auth } from '@latchkey/core'
import { follow } from './follow.ts'
import type { Result } from './follow.ts'
import type { InferSession } from './infer-session.ts'
import { createSessionStore } from './session-store.ts'
import type { RefetchOptions, SessionState } from './state.ts'
import { createTransport, unwrapBody } from './transport.ts'
import type { Failure, Transport, TransportResult } from './transport.ts'

/** The options of {@link createClient}; all are optional. */
export interface ClientOptions<Session> extends RefetchOptions {
  /** The path that the routes of the service are relative to. Default: `/api/auth`. */
  readonly basePath?: string | undefined
  /**
   * The URL of a service on another origin, as its `SERVICE_URL` has it: the origin, and the base path
   * unless it is {@link ClientOptions.basePath}. The service must list the origin of the page in its
   * `trustedOrigins`. Default: a service on the origin of the page.
   */
  readonly baseUrl?: string | undefined
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /**
   * The session that the page was rendered with, so that no request is needed at the start. Null
   * without a session; undefined if unknown, which is the default.
   */
  readonly session?: Session | null | undefined
}

/** The options of {@link Client.signIn}: the fields of the provider's form, such as `email`, too. */
export interface SignInOptions {
  /** The URL to return to after the sign-in. Default: the current page. */
  readonly callbackUrl?: string
  /** Whether the page navigates to the URL of the result. Default: true. */
  readonly redirect?: boolean
  /** A field of the provider's form. */
  readonly [field: string]: unknown
}

/** The options of {@link Client.signOut}. */
export interface SignOutOptions {
  /** The URL to go to after the sign-out. Default: the current page. */
  readonly callbackUrl?: string
  /** Whether the page navigates to the URL of the result. Default: true. */
  readonly redirect?: boolean
}

/** The options of {@link Client.confirm}. */
export interface ConfirmOptions {
  /** The URL to return to after the confirmation. Default: the current page. */
  readonly callbackUrl?: string
  /** Whether the page navigates to the URL of the result. Default: true. */
  readonly redirect?: boolean
}

/**
 * Additional parameters of the authorization request, such as `login_hint`, if the provider allows
 * them.
 */
export type AuthorizationParams = ConstructorParameters<typeof URLSearchParams>[0]

/** The result of an update: the session, null if it has ended meanwhile; or the failure. */
export type UpdateResult<Session> =
  { readonly ok: true; readonly session: Session | null } | Failure

/** A provider as `GET /providers` lists it. */
export interface ClientProvider {
  readonly id: string
  readonly name: string
  /** `oidc`, `oauth`, `email`, … */
  readonly type: string
  readonly signinUrl: string
  readonly callbackUrl: string
}

/**
 * The service as a page uses it. Its functions need no `this`. `get`, `post` and `apply` are for the other entries of
 * this package.
 */
export interface Client<Session> extends Transport {
  /** What the routes are relative to: the base path, or the URL of a service on another origin. */
  readonly basePath: string
  /**
   * Starts a sign-in and navigates to where it continues: the identity provider, or the page that
   * says "check your email". Without a provider, or with an unknown one, it navigates to the sign-in
   * page. With `redirect: false` it reads the session: credentials sign in immediately. Never rejects.
   *
   * @example
   *   import { createClient } from '@latchkey/client'
   *
   *   const { signIn } = createClient()
   *   const result = await signIn('email', { email: 'alice@example.com', redirect: false })
   *   console.log(result.ok ? 'Check your email' : result.message)
   */
  readonly signIn: (
    provider?: string,
    options?: SignInOptions,
    params?: AuthorizationParams,
  ) => Promise<Result>
  /**
   * Ends the session, in the other tabs too, and navigates to `callbackUrl`. If the service refuses,
   * the session stays. Never rejects.
   */
  readonly signOut: (options?: SignOutOptions) => Promise<Result>
  /**
   * Asks the user of the session to prove again who they are: navigates to the page with the ways in which
   * this user can, which leads back to `callbackUrl`. Without a session that page is the sign-in page. It sends
   * no request and never rejects. The service needs `confirmation()`.
   *
   * @returns The URL of that page
   *
   * @example
   *   import { createClient } from '@latchkey/client'
   *
   *   const { confirm } = createClient()
   *   const response = await fetch('/api/keys')
   *   if (response.status === 401) await confirm({ callbackUrl: '/keys' })
   */
  readonly confirm: (options?: ConfirmOptions) => Promise<Result>
  /**
   * Reads the session. Concurrent calls share one request.
   *
   * @returns Null without a session
   *
   * @throws ClientError if the service could not be reached or refused the request
   */
  readonly getSession: () => Promise<Session | null>
  /**
   * Returns the CSRF token that every POST to the service carries.
   *
   * @throws ClientError if the service could not be reached or refused the request
   */
  readonly getCsrfToken: () => Promise<string>
  /**
   * Returns the providers by id.
   *
   * @throws ClientError if the service could not be reached or refused the request
   */
  readonly getProviders: () => Promise<Readonly<Record<string, ClientProvider>>>
  /** Passes data to the service's `session.update`, which decides what to change. Never rejects. */
  readonly updateSession: (data?: unknown) => Promise<UpdateResult<Session>>
  /**
   * Calls the listener after every change of {@link Client.getSnapshot}. While there are listeners,
   * the session is kept up to date. As with `addEventListener`, adding a function twice has no effect.
   *
   * @returns Removes the listener
   *
   * @example
   *   import { createClient } from '@latchkey/client'
   *
   *   const client = createClient()
   *   const unsubscribe = client.subscribe(() => console.log(client.getSnapshot().status))
   */
  readonly subscribe: (listener: () => void) => () => void
  /** Returns what is known of the session, without a request: the same object until it changes. */
  readonly getSnapshot: () => SessionState<Session>
  /** Replaces the refetch options; omitted ones get their defaults. */
  readonly configure: (options: RefetchOptions) => void
  /** Applies the result of `GET /session` after a sign-in; results of reads that started before are dropped. */
  readonly apply: (result: TransportResult) => void
}

/**
 * Creates a client of the service. It sends no request and uses no global before a function is
 * called. On a server, use `auth.getSession(request)` instead: a client belongs to one user.
 *
 * @example
 *   import { createClient } from '@latchkey/client'
 *   import type { Auth } from '@latchkey/core'
 *
 *   declare const auth: Auth<{ user: { id: string; admin: boolean } }>
 *   const client = createClient<typeof auth>()
 *   const session = await client.getSession()
 *   console.log(session?.user.admin)
 */
export function createClient<A extends Auth<unknown> = Auth>(
  options: ClientOptions<InferSession<A>> = {},
): Client<InferSession<A>> {
  const basePath = getBase(options)
  const { get, post } = createTransport(basePath, options.fetch)
  const store = createSessionStore('latchkey ' + basePath, () => get('/session'), options)
  const shared = { basePath, get, post, ...store }
  const { load, apply } = store
  return {
    ...shared,
    async signIn(
      id = '',
      { callbackUrl: target = location.href, redirect = true, ...fields } = {},
      params,
    ) {
      const callbackUrl = toReturnUrl(target, options)
      const path = `/signin/${encodeURIComponent(id)}?${new URLSearchParams(params)}`
      const result = id ? await post(path, { ...fields, callbackUrl }) : undefined
      if (!result || (redirect && result.status === 404))
        return visit(basePath, { callbackUrl }, redirect)
      if (!redirect && result.ok) apply(await get('/session')) // Credentials sign in immediately.
      return follow(result, redirect)
    },
    confirm: async (how) => confirm(basePath, options, how),
    async signOut({ callbackUrl = location.href, redirect = true } = {}) {
      const result = await post('/signout', { callbackUrl: toReturnUrl(callbackUrl, options) })
      if (result.ok) apply({ ok: true, body: {} })
      return follow(result, redirect)
    },
    // Not the body: a later read or change may have replaced it.
    getSession: () => unwrapBody(load()).then(() => store.getSnapshot().session),
    getCsrfToken: async () => String((await unwrapBody(get('/csrf')))['csrfToken']),
    getProviders: () => unwrapBody(get('/providers')) as Promise<Record<string, ClientProvider>>,
    async updateSession(data) {
      const result = await post('/session', { data })
      if (result.ok) apply(result)
      return result.ok ? { ok: true, session: store.getSnapshot().session } : result
    },
  }
}

function getBase({ baseUrl, basePath = '/api/auth' }: ClientOptions<unknown>): string {
  if (!baseUrl) return basePath
  const { origin, pathname } = new URL(baseUrl)
  return origin + (pathname === '/' ? basePath : pathname.replace(/\/$/, ''))
}

/** Makes a URL absolute for a service on another origin, which resolves a path against its own. */
function toReturnUrl(url: string, { baseUrl }: ClientOptions<unknown>): string {
  return baseUrl ? new URL(url, location.href).href : url
}

function confirm(
  basePath: string,
  options: ClientOptions<unknown>,
  { callbackUrl = location.href, redirect = true }: ConfirmOptions = {},
): Result {
  const query = { confirm: 'true', callbackUrl: toReturnUrl(callbackUrl, options) }
  return visit(basePath, query, redirect)
}

/** Returns the URL of the sign-in page, and navigates to it if `redirect` is set. */
function visit(basePath: string, query: Record<string, string>, redirect: boolean): Result {
  const url = `${basePath}/signin?${new URLSearchParams(query)}`
  return follow({ ok: true, body: { url } }, redirect)
}

export { ClientError } from './transport.ts'
export type { Result } from './follow.ts'
export type { Failure, Transport, TransportResult } from './transport.ts'
export type { Json, InferSession } from './infer-session.ts'
export type { RefetchOptions, SessionState } from './state.ts'
