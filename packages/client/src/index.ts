import type { Auth } from '@latchkey/core'
import { bodyOf, createService } from './service.ts'
import type { Answer, Failure } from './service.ts'
import type { SessionOf } from './session-of.ts'
import { createSessionStore } from './session-store.ts'
import type { RefetchOptions, SessionState } from './session-store.ts'

/** What {@link createClient} takes; nothing is required. */
export interface ClientOptions<Session> extends RefetchOptions {
  /** What the service's routes are relative to. Default: `/api/auth`. */
  readonly basePath?: string | undefined
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /**
   * The session, where the page was rendered with it: it is not asked for at the start. Null when
   * nobody is signed in; undefined where that is not known.
   */
  readonly session?: Session | null | undefined
}

/** What {@link Client.signIn} takes: what a provider's form has (`email`), and where to go. */
export interface SignInOptions {
  /** Where to be once signed in. Default: this page. */
  readonly callbackUrl?: string
  /** Whether the page goes where the service says. Default: true. */
  readonly redirect?: boolean
  readonly [field: string]: unknown
}

/** What {@link Client.signOut} takes. */
export interface SignOutOptions {
  /** Where to be once signed out. Default: this page. */
  readonly callbackUrl?: string
  /** Whether the page goes there. Default: true. */
  readonly redirect?: boolean
}

/** Further parameters of the authorization request, such as `login_hint`: those that the provider allows. */
export type AuthorizationParams = ConstructorParameters<typeof URLSearchParams>[0]

/** Where to go next; or why nothing has happened. */
export type Result = { readonly ok: true; readonly url: string } | Failure

/** The session as it is now, null when there is none any more; or why nothing has happened. */
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

/** The service, as a page uses it. */
export interface Client<Session> {
  /** As configured: what the service's routes are relative to. */
  readonly basePath: string
  /**
   * Starts a sign-in, and goes where it leads: to the identity provider, or to the page that says
   * "check your e-mail". Without a provider, or with one that the service does not have, it goes to
   * the sign-in page. It never rejects.
   *
   * @example
   *   import { createClient } from '@latchkey/client'
   *
   *   const { signIn } = createClient()
   *   const result = await signIn('email', { email: 'alice@example.com', redirect: false })
   *   console.log(result.ok ? 'Look into your mailbox' : result.message)
   */
  readonly signIn: (
    provider?: string,
    options?: SignInOptions,
    params?: AuthorizationParams,
  ) => Promise<Result>
  /**
   * Ends the session, here and in the other tabs, and goes to `callbackUrl`. Where the service
   * refuses, the person stays signed in. It never rejects.
   */
  readonly signOut: (options?: SignOutOptions) => Promise<Result>
  /**
   * Asks the service for the session; all who ask at once get one answer.
   *
   * @returns Null when nobody is signed in
   *
   * @throws ClientError where the service cannot say
   */
  readonly getSession: () => Promise<Session | null>
  /** @throws ClientError where the service cannot say */
  readonly getCsrfToken: () => Promise<string>
  /**
   * What can be signed in with, by id.
   *
   * @throws ClientError where the service cannot say
   */
  readonly getProviders: () => Promise<Readonly<Record<string, ClientProvider>>>
  /** Hands data to the service's `session.update`, which decides what becomes of it. It never rejects. */
  readonly updateSession: (data?: unknown) => Promise<UpdateResult<Session>>
  /**
   * Calls the listener after every change of {@link Client.getSnapshot}. With the first one the
   * session is read, and kept up to date as long as there is one. A function counts once, as with
   * `addEventListener`.
   *
   * @returns Ends it
   *
   * @example
   *   import { createClient } from '@latchkey/client'
   *
   *   const client = createClient()
   *   const stop = client.subscribe(() => console.log(client.getSnapshot().status))
   */
  readonly subscribe: (listener: () => void) => () => void
  /** What is known of the session at this moment: the same object until it changes. */
  readonly getSnapshot: () => SessionState<Session>
  /** Changes when the session is read again; what is left out gets its default. */
  readonly configure: (options: RefetchOptions) => void
}

/**
 * Makes a client of the service. Nothing is asked, and nothing of the page is touched, before it is
 * used. On a server use `auth.getSession(request)` instead: a client is one person's.
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
  options: ClientOptions<SessionOf<A>> = {},
): Client<SessionOf<A>> {
  type Session = SessionOf<A>
  const { basePath = '/api/auth', fetch: send = (...request) => fetch(...request) } = options
  const { get, post } = createService(basePath, send)
  const read = (): Promise<Answer> => get('/session')
  const store = createSessionStore<Session>('latchkey ' + basePath, read, options.session, options)
  const { load, settle, ...shared } = store
  const { getSnapshot } = shared
  return {
    basePath,
    ...shared,
    async signIn(provider, signIn = {}, params) {
      const { callbackUrl = location.href, redirect = true, ...fields } = signIn
      const url = `${basePath}/signin?${new URLSearchParams({ callbackUrl })}`
      const signInPage: Answer = { ok: true, body: { url } }
      if (!provider) return follow(signInPage, redirect)
      const path = `/signin/${encodeURIComponent(provider)}?${new URLSearchParams(params)}`
      const answer = await post(path, { ...fields, callbackUrl })
      const isLost = redirect && !answer.ok && answer.status === 404
      return follow(isLost ? signInPage : answer, redirect)
    },
    async signOut({ callbackUrl = location.href, redirect = true } = {}) {
      const answer = await post('/signout', { callbackUrl })
      if (answer.ok) settle({})
      return follow(answer, redirect)
    },
    async getSession() {
      await bodyOf(load())
      // Where the answer was overtaken it is no longer true: the store has what is.
      return getSnapshot().session
    },
    getCsrfToken: async () => (await bodyOf(get('/csrf')))['csrfToken'] as string,
    getProviders: async () => (await bodyOf(get('/providers'))) as Record<string, ClientProvider>,
    async updateSession(data) {
      const answer = await post('/session', { data })
      if (!answer.ok) return answer
      settle(answer.body)
      return { ok: true, session: getSnapshot().session }
    },
  }
}

/** Goes where the service says. */
function follow(answer: Answer, redirect: boolean): Result {
  const result: Result = answer.ok ? { ok: true, url: answer.body['url'] as string } : answer
  const { url } = result
  if (!redirect || !url) return result
  location.href = url
  // The page would only be scrolled to what comes behind the hash.
  if (url.includes('#')) location.reload()
  return result
}

export { ClientError } from './service.ts'
export type { Failure } from './service.ts'
export type { Json, SessionOf } from './session-of.ts'
export type { RefetchOptions, SessionState } from './session-store.ts'
