import type { Authentication } from '../ports/records.ts'
import { RequestContext } from '../service/request-context.ts'
import type { Service } from '../kernel/context.ts'
import { getCurrentSession } from '../session/current-session.ts'
import type { SessionToken } from '../session/session-claims.ts'
import { toSessionView } from '../session/session-view.ts'
import { toHeaders } from '../kernel/response-headers.ts'

/** The options of `auth.getSession`. */
export interface GetSessionOptions {
  /**
   * Whether a session that is due is renewed. Use false if the response cannot carry `headers`, as in a
   * server component. A session that is kept only in its cookie is then returned even if its user was
   * deleted, until another request renews it. Default: true
   */
  readonly renew?: boolean
}

/** The result of `auth.getSession`. */
export interface CurrentSession<Session> {
  /** Null if there is no session. */
  readonly session: Session | null
  /** The session's id, as `auth.sessions` lists it. */
  readonly id: string | null
  /** How the user proved who they are; null if the session does not know it. */
  readonly authentication: Authentication | null
  /**
   * Headers for the response; often none. With `Set-Cookie` comes `Cache-Control: private, no-store`:
   * a cache must not hand one user's cookie to another.
   */
  readonly headers: Headers
}

/** Returns the session of a request. A session of a previous service is read, but not imported (I-45). */
export async function getSessionOfRequest(
  service: Service,
  request: Request,
  { renew = true, mayLag = true }: GetSessionOptions & { readonly mayLag?: boolean } = {},
): Promise<CurrentSession<unknown>> {
  const ctx = new RequestContext(service, request, {})
  const options = { renews: renew && !ctx.isHead, imports: false, mayLag }
  const { session, cookies } = await getCurrentSession(ctx, options)
  const view = session && (await toSessionView(ctx, session))
  const { id = null, authentication = null } = view ? { ...session } : {}
  return { session: view ?? null, id, authentication, headers: toHeaders(ctx, cookies) }
}

/** Returns what the session of a request carries; null if there is none. It is a read. */
export async function getTokenOfRequest(
  service: Service,
  request: Request,
): Promise<SessionToken | null> {
  const ctx = new RequestContext(service, request, {})
  const { session } = await getCurrentSession(ctx, { renews: false, imports: false })
  return session?.token ?? null
}
