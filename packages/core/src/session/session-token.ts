/** What a session carries: the registered claims, and what `callbacks.jwt` adds. */
export interface SessionToken {
  /** The user's id. */
  readonly sub: string
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
  readonly picture?: string | null | undefined
}
