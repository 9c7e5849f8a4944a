import type { Auth } from '@latchkey/core'

/** The variables that `latchkey(auth)` sets. */
export interface SessionVariables<Session> {
  /**
   * Returns the session of the request, null if there is none. The first call reads it; further calls
   * return the same session.
   *
   * @throws AuthError `Unavailable` if the storage fails, `Configuration` if the origin of the request
   *   is untrusted, `Callback` if a callback throws
   */
  readonly session: () => Promise<Session | null>
}

/** The variables of a route behind `requireSession(auth)`. */
export interface SignedInVariables<Session> extends SessionVariables<Session> {
  /** The session of the request, which always exists here. */
  readonly signedIn: Session
}

/** The type of a service's sessions, which is the return type of `callbacks.session`. */
export type InferSession<Service extends Auth<unknown>> =
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
  InferSession<Service>
>

/**
 * The environment of an application that uses `latchkey(auth)` and has no bindings.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import type { LatchkeyEnv } from '@latchkey/hono'
 *   import { Hono } from 'hono'
 *
 *   declare const auth: Auth
 *   const app = new Hono<LatchkeyEnv<typeof auth>>()
 */
export interface LatchkeyEnv<Service extends Auth<unknown> = Auth> {
  Variables: LatchkeyVariables<Service>
}
