import { getCsrfToken, signIn, signOut, updateSession } from '@latchkey/core/forms'
import type { FormReply } from '@latchkey/core/forms'
import type { SessionToken } from '@latchkey/core'
import { after, NextResponse } from 'next/server.js'
import { createElement } from 'react'
import type { ReactElement } from 'react'
import { METHOD_HEADER } from './form-method.ts'
import { getRequest } from './get-request.ts'
import { issueCsrfCookie } from './issue-csrf-cookie.ts'
import type { NextAuthOptions } from './next-auth-options.ts'
import type { NextService } from './next-service.ts'

/** The form of a server action. */
export interface ActionOptions {
  /** The `FormData` that the server action received: it has the field of `<CsrfToken />`. */
  readonly form: FormData
  /** The URL to continue at. Default: the field `callbackUrl`, else the origin */
  readonly callbackUrl?: string
  /**
   * Whether the browser is redirected to the URL of the reply; if not, the reply is returned. Default:
   * true
   */
  readonly redirect?: boolean
}

/** The options of {@link ServerActions.signIn}. */
export interface SignInActionOptions extends ActionOptions {
  /** Parameters of the authorization request, such as `login_hint`, if the provider allows them. */
  readonly params?: Readonly<Record<string, string>>
}

/** The options of {@link ServerActions.updateSession}. */
export interface UpdateActionOptions extends Pick<ActionOptions, 'form'> {
  /** What `session.update` receives as `data`. */
  readonly data?: unknown
}

/** What a server action can return to its page: the reply without its cookies, which are set. */
export type ActionReply = { readonly ok: true; readonly url: string } | ActionFailure

/** The failure of a server action. */
export type ActionFailure = Omit<Extract<FormReply, { readonly ok: false }>, 'headers'>

/** The result of {@link ServerActions.updateSession}. */
export type UpdateActionReply<Session> =
  { readonly ok: true; readonly session: Session | null } | ActionFailure

/** The forms of server components, without JavaScript in the browser. */
export interface ServerActions<Session> {
  /**
   * Prints the field `csrfToken` of a form, which posts to a route of the service or to a server action.
   * `proxy.ts` sets the cookie: see `withCsrfCookie` of `@latchkey/next/proxy`.
   *
   * @throws Error if the browser has no cookie because the proxy did not run for the page
   */
  readonly CsrfToken: () => Promise<ReactElement>
  /**
   * Starts a sign-in in a server action, and redirects. It makes the checks of cross-site requests in their
   * strict form:
   * a POST whose `Origin` is the service's own, also if `allowedOrigins` of next.config lists others.
   *
   * @throws Error if the proxy did not run for the page: without it the method is unknown
   * @throws ConfigurationError if there is no such provider
   */
  readonly signIn: (provider: string, options: SignInActionOptions) => Promise<ActionReply>
  /** Ends the session in a server action, and redirects, as `signIn` does. */
  readonly signOut: (options: ActionOptions) => Promise<ActionReply>
  /**
   * Passes data to the service's `session.update` in a server action, with the checks of `signIn`. Call
   * `redirect` of Next.js afterwards: the page that the action itself renders has the previous session.
   */
  readonly updateSession: (options: UpdateActionOptions) => Promise<UpdateActionReply<Session>>
}

/** Creates the functions for forms of a service. */
export function createServerActions<Session, Token extends SessionToken>(
  getService: () => Promise<NextService<Session, Token>>,
  { clientIp }: NextAuthOptions,
): ServerActions<Session> {
  const prepare = async () => {
    const request = await getActionRequest()
    const host = {
      waitUntil: (promise: Promise<unknown>) => after(promise),
      clientIp: () => clientIp?.(request.headers),
    }
    const service = await getService()
    const setCookies = (headers: Headers) => setActionCookies(headers, request, service)
    return { service, request, host, setCookies }
  }
  return {
    CsrfToken: () => renderCsrfToken(getService),
    async signIn(provider, { redirect, ...options }) {
      const { service, request, host, setCookies } = await prepare()
      const reply = await signIn(service, request, provider, { ...options, ...host })
      await setCookies(reply.headers)
      return finish(reply, redirect)
    },
    async signOut({ redirect, ...options }) {
      const { service, request, host, setCookies } = await prepare()
      const reply = await signOut(service, request, { ...options, ...host })
      await setCookies(reply.headers)
      return finish(reply, redirect)
    },
    async updateSession(options) {
      const { service, request, host, setCookies } = await prepare()
      const { headers, ...reply } = await updateSession(service, request, { ...options, ...host })
      await setCookies(headers)
      return reply
    },
  }
}

/** The request is read first: it makes the page dynamic, so that `next build` does not ask for the service. */
async function renderCsrfToken<Session, Token extends SessionToken>(
  getService: () => Promise<NextService<Session, Token>>,
): Promise<ReactElement> {
  const request = await getRequest()
  const { csrfToken, headers } = await getCsrfToken(await getService(), request)
  // After a server action the page is rendered again, and a token without a cookie is refused.
  if (headers.has('set-cookie')) checkProxyRan(request.headers)
  return createElement('input', { type: 'hidden', name: 'csrfToken', value: csrfToken })
}

/** Returns the request of a server action, with the method that the proxy has seen. */
async function getActionRequest(): Promise<Request> {
  const request = await getRequest()
  checkProxyRan(request.headers)
  const method = request.headers.get(METHOD_HEADER) === 'POST' ? 'POST' : 'GET'
  return new Request(request, { method })
}

function checkProxyRan(headers: Headers): void {
  if (headers.has(METHOD_HEADER)) return
  const message = 'proxy.ts must export withCsrfCookie(…) of @latchkey/next/proxy for this page'
  throw new Error(`${message}: check its matcher`)
}

async function finish(reply: FormReply, redirects = true): Promise<ActionReply> {
  const { headers: _, ...shown } = reply
  if (!redirects) return shown
  const { redirect } = await import('next/navigation.js')
  return redirect(reply.url)
}

/**
 * Sets the cookies of a reply, and the CSRF cookie of the session that begins or ends with them: with
 * JavaScript, Next.js itself requests the next page, whose cookies the browser does not get.
 */
async function setActionCookies(
  reply: Headers,
  request: Request,
  service: NextService<unknown>,
): Promise<void> {
  const lines = reply.getSetCookie()
  if (lines.length === 0) return
  const { cookies } = await import('next/headers.js')
  const store = await cookies()
  for (const change of parseCookies(lines)) store.set(change)
  const headers = new Headers(request.headers)
  headers.set('cookie', store.toString())
  for (const change of parseCookies(await issueCsrfCookie(headers, service))) store.set(change)
}

/** Next.js sets no header for a server action, only cookies one by one. */
function parseCookies(lines: readonly string[]): ResponseCookie[] {
  const headers = new Headers(lines.map((line) => ['set-cookie', line]))
  const changes = new NextResponse(null, { headers }).cookies.getAll()
  // Its parser leaves out `Max-Age=0`, with which the service deletes a cookie.
  return changes.map((change) => (change.value ? change : { ...change, value: '', maxAge: 0 }))
}

type ResponseCookie = ReturnType<NextResponse['cookies']['getAll']>[number]
