import type { Auth } from '@latchkey/core'

/** The type of a value after JSON serialisation: a `Date` becomes a string. */
export type Json<T> = T extends { toJSON(): infer Serialised }
  ? Json<Serialised>
  : T extends object
    ? { readonly [Key in keyof T]: Json<T[Key]> }
    : T

/**
 * The session that a service's clients receive: the return type of its `callbacks.session`, after JSON
 * serialisation.
 *
 * @example
 *   import type { InferSession } from '@latchkey/client'
 *   import type { Auth } from '@latchkey/core'
 *
 *   declare const auth: Auth<{ user: { id: string; admin: boolean } }>
 *   const session: InferSession<typeof auth> = { user: { id: '1', admin: true } }
 */
export type InferSession<A extends Auth<unknown>> =
  A extends Auth<infer Session> ? Json<Session> : never
