/** The tokens of an account, by their names in RFC 6749 §5.1; `expires_at` in seconds since 1970. */
export interface Tokens {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly id_token?: string
  readonly token_type?: string
  readonly scope?: string
  readonly expires_at?: number
}

/**
 * The profile that a provider returns. It is untrusted: each field is checked and capped (I-40), and
 * a value of the wrong type is dropped. Further fields are passed on as they are.
 */
export interface Profile {
  readonly name?: unknown
  readonly email?: unknown
  /** What the provider says; only the boolean `true` counts. It does not prove the email address. */
  readonly emailVerified?: unknown
  readonly image?: unknown
  readonly [field: string]: unknown
}

/** An identity that a provider has proven: (provider, subject), never an email address (I-38). */
export interface Identity {
  /** The provider's stable identifier of the user: 1 to 255 characters. */
  readonly subject: string
  readonly profile: Profile
  /**
   * Whether the email address of the profile is proven (I-38): by an email that we sent, or by a
   * provider whose verified flag is authoritative. Default: false
   */
  readonly emailProven?: boolean
  readonly tokens: Tokens
  /** All claims of the provider, unchanged. */
  readonly claims: Readonly<Record<string, unknown>>
  /**
   * What `recall` of the provider returns in this browser once the sign-in is completed, for 400 days:
   * sealed, and sent with every request, so keep it small. It outlives the session. Default: as it was
   */
  readonly remember?: unknown
}

/** The user of a sign-in, as callbacks and events receive it. */
export interface User {
  /**
   * Without a storage `<provider>:<subject>`, which is unique across providers; only the subject for
   * the provider with `subjectAsUserId`, or what `userId` of the provider returned.
   */
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly image: string | null
  /**
   * Whether the email address is proven: by an email that we sent, or by a provider whose verified flag
   * is authoritative (I-38). What the provider itself says is in the claims.
   */
  readonly emailVerified: boolean
  /** The application's own fields, as stored, and what else a provider's `profile()` added. */
  readonly [field: string]: unknown
}

/** One identity of a user at one provider, with its tokens. */
export interface Account extends Tokens {
  readonly provider: string
  readonly type: string
  readonly providerAccountId: string
}

/** An account of a user, without its tokens. */
export type AccountInfo = Pick<Account, 'provider' | 'type' | 'providerAccountId'>

/** A user as a storage keeps it, without the application's own fields. */
export interface StoredUser {
  readonly id: string
  readonly name: string | null
  /** Compared byte by byte: core lower-cases ASCII letters before it stores. */
  readonly email: string | null
  /**
   * Whether the email address is proven: by an email that we sent, or by a trusted provider (I-38).
   * Only then it is unique among users.
   */
  readonly emailVerified: boolean
  readonly image: string | null
}

/** The account that a session began through. */
export interface SessionAccount extends Pick<Account, 'provider' | 'providerAccountId'> {
  /**
   * The provider's own session: the claim `sid` of the ID Token (OpenID Connect Back-Channel Logout
   * 1.0 §2.1), at most 255 characters, compared exactly.
   */
  readonly sid?: string | undefined
}

/** A session as a storage keeps it. Times are whole seconds since 1970. */
export interface StoredSession {
  /** The SHA-256 of the cookie's token, in base64url: 43 characters. Not a secret. */
  readonly id: string
  readonly userId: string
  readonly createdAt: number
  readonly renewedAt: number
  readonly expires: number
  /** Further data of core, as JSON text. */
  readonly data: string
  /** Absent if the session did not begin through an account, or the storage does not keep it. */
  readonly account?: SessionAccount | undefined
}

/** A session to be created. */
export interface NewSession extends Omit<StoredSession, 'userId'> {
  /** The id of the session that ends in the same step. */
  readonly replaces?: string | undefined
}

/** A single-use token as a storage keeps it: never the token itself. */
export interface VerificationToken {
  /** What the token proves, such as an email address. */
  readonly identifier: string
  /** A hash of the token, in base64url. */
  readonly token: string
  /** Seconds since 1970. */
  readonly expires: number
}

/** The count of a key in its current window. */
export interface Count {
  /** Includes the present call: at least 1. */
  readonly count: number
  /** When the window ends, in seconds since 1970. */
  readonly resetsAt: number
}

/** Something that is revoked: a cookie that was spent, or a user's sessions up to a time. */
export interface Revocation {
  /** What is revoked: at most 255 characters, compared exactly. */
  readonly key: string
  /** When it was revoked, in seconds since 1970; not in the future. */
  readonly revokedAt: number
  /** When the storage may forget it, in seconds since 1970. */
  readonly expires: number
}
