/** What a session carries: the registered claims, and what `callbacks.jwt` adds. */
export interface SessionToken {
  /** The user's id. */
  readonly sub: string
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
  /** Whether the email address is proven. A callback that changes `email` sets this too. */
  readonly email_verified?: boolean | undefined
  readonly picture?: string | null | undefined
}

/** A token whose further claims have no types. */
export type UntypedToken = SessionToken & Readonly<Record<string, unknown>>
