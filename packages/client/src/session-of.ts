import type { Auth } from '@latchkey/core'

/** A value after its way through JSON: a `Date` arrives as text. */
export type Json<T> = T extends { toJSON(): infer Written }
  ? Json<Written>
  : T extends object
    ? { readonly [Key in keyof T]: Json<T[Key]> }
    : T

/**
 * The session that clients of a service see, from the return type of its `callbacks.session`.
 *
 * @example
 *   import type { SessionOf } from '@latchkey/client'
 *   import type { Auth } from '@latchkey/core'
 *
 *   declare const auth: Auth<{ user: { id: string; admin: boolean } }>
 *   const session: SessionOf<typeof auth> = { user: { id: '1', admin: true } }
 */
export type SessionOf<A extends Auth<unknown>> =
  A extends Auth<infer Session> ? Json<Session> : never
