import type { Auth } from '@latchkey/core'

/** What `latchkey(auth)` puts into the context. */
export interface SessionVariables<Session> {
  /**
   * The session of the request, null when nobody is signed in. It is read when this is first called,
   * and at most once a request.
   *
   * @throws AuthError `Unavailable` where the storage fails, `Configuration` where the request's
   *   origin is none to trust, `Callback` where a callback throws
   */
  readonly session: () => Promise<Session | null>
}

/** What `requireSession(auth)` adds to the context. */
export interface SignedInVariables<Session> extends SessionVariables<Session> {
  /** The session: there is one, or the handler would not have been reached. */
  readonly signedIn: Session
}

/** The type of a service's sessions: what its `callbacks.session` gives. */
export type SessionOf<Service extends Auth<unknown>> =
  Service extends Auth<infer Session> ? Session : never

/**
 * The variables of an application that uses `latchkey(auth)`.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import type { LatchkeyVariables } from '@latchkey/hono'
 *   import { Hono } from 'hono'
 *
 *   declare const auth: Auth
 *   type Variables = LatchkeyVariables<typeof auth> & { requestId: string }
 *   const app = new Hono<{ Variables: Variables }>()
 */
export type LatchkeyVariables<Service extends Auth<unknown> = Auth> = SessionVariables<
  SessionOf<Service>
>

/** The environment of an application that uses `latchkey(auth)`, and has no bindings of its own. */
export interface LatchkeyEnv<Service extends Auth<unknown> = Auth> {
  Variables: LatchkeyVariables<Service>
}
