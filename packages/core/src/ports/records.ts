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
 * The profile that a provider returns. It is untrusted: each field is checked and capped, and
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

/** The stored factor that proves an identity. */
export interface ProvenBy extends Pick<Factor, 'type' | 'id' | 'changedAt'> {
  /**
   * When a passkey that has verified its user, as now, was last used beside a proof of another type: seconds since 1970, 0 if never.
   * Absent if it has not verified the user, and for other factors.
   */
  readonly besideOtherAt?: number
}

/** An identity that a provider has proven: (provider, subject), never an email address. */
export interface Identity {
  /** The provider's stable identifier of the user: 1 to 255 characters. */
  readonly subject: string
  readonly profile: Profile
  /**
   * Whether the email address of the profile is proven: by an email that we sent, or by a
   * provider whose verified flag is authoritative. Default: false
   */
  readonly emailProven?: boolean
  readonly tokens: Tokens
  /** The factor that a new user is created with, for a provider of the kind `factor`. Default: none */
  readonly newFactor?: NewFactor
  /**
   * The stored factor that proves the identity: a session that begins while it is changed or removed ends immediately.
   * Default: none
   */
  readonly provenBy?: ProvenBy
  /**
   * What the provider changes once the user has proven each factor, such as a password that was chosen by a link. The second
   * step seals it, so keep it small. Default: nothing
   */
  readonly pending?: Readonly<Record<string, string>>
  /** All claims of the provider, unchanged. */
  readonly claims: Readonly<Record<string, unknown>>
  /** How the user proved this identity. Default: no methods, at an unknown time */
  readonly authentication?: Authentication
  /**
   * What `recall` of the provider returns in this browser once the sign-in is completed, for 400 days:
   * sealed, and sent with every request, so keep it small. It outlives the session. Default: as it was
   */
  readonly remember?: unknown
}

/**
 * A way in which a user proved who they are: values of RFC 8176 §2, and our own `fed` (an identity
 * provider), `email` (a link or a code) and `recovery` (a recovery code).
 */
export type AuthenticationMethod =
  'pwd' | 'otp' | 'hwk' | 'swk' | 'user' | 'mfa' | 'fed' | 'email' | 'recovery'

/** How and when a user last proved who they are. */
export interface Authentication {
  /** Seconds since 1970; absent if unknown, which is never recent. */
  readonly authenticatedAt?: number | undefined
  /** In the order of use. */
  readonly methods: readonly AuthenticationMethod[]
  /** What the identity provider says about its own authentication: not one of `methods`. */
  readonly provider?: ProviderAuthentication | undefined
}

/** What a verified ID Token says about the authentication at its issuer (OpenID Connect Core 1.0 §2). */
export interface ProviderAuthentication {
  /** At most ten texts of at most 64 characters. */
  readonly amr?: readonly string[] | undefined
  /** At most 64 characters. */
  readonly acr?: string | undefined
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
   * is authoritative. What the provider itself says is in the claims.
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
  /** When the account was linked, in seconds since 1970. Absent if an earlier version stored it. */
  readonly createdAt?: number | undefined
  /** When a sign-in last went through the account, in seconds since 1970. Absent if that is unknown. */
  readonly lastUsedAt?: number | undefined
}

/** An account of a user, without its tokens. */
export type AccountInfo = Pick<
  Account,
  'provider' | 'type' | 'providerAccountId' | 'createdAt' | 'lastUsedAt'
>

/** What changes of an account: the given tokens, and when a sign-in last went through it. */
export type AccountChanges = Tokens & Pick<Account, 'lastUsedAt'>

/** A user as a storage keeps it, without the application's own fields. */
export interface StoredUser {
  readonly id: string
  readonly name: string | null
  /** Compared byte by byte: core lower-cases ASCII letters before it stores. */
  readonly email: string | null
  /**
   * Whether the email address is proven: by an email that we sent, or by a trusted provider.
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

/**
 * A proof that the service itself keeps for a user: a password, a passkey, an authenticator app, recovery
 * codes. Times are whole seconds since 1970.
 */
export interface Factor {
  /** `password`, `passkey`, `totp`, `recovery`, or another text of 1 to 64 characters, compared exactly. */
  readonly type: string
  /** Unique per type, and compared exactly: 1 to 255 characters. */
  readonly id: string
  readonly userId: string
  /** Is shown to the user: at most 64 characters, without control characters and lone surrogates. */
  readonly name: string | null
  /** Further data of core, as JSON text: at most 8 KiB in UTF-8, opaque to the storage. */
  readonly data: string
  /** Chosen by the storage. Every write makes another one, and no version of this type and id comes twice. */
  readonly version: string
  /** When the secret last changed. */
  readonly changedAt: number
  readonly createdAt: number
  /** Null if the factor was not used yet. */
  readonly lastUsedAt: number | null
}

/** A factor to be created. */
export type NewFactor = Omit<Factor, 'userId' | 'version'>

/** The members of a factor that can be changed. */
export type FactorChanges = Partial<Pick<Factor, 'name' | 'data' | 'changedAt' | 'lastUsedAt'>>

/** A single-use token as a storage keeps it: never the token itself. */
export interface VerificationToken {
  /** What the token proves, such as an email address. */
  readonly identifier: string
  /** A hash of the token, in base64url. */
  readonly token: string
  /** Seconds since 1970. */
  readonly expires: number
}

/** What an unfinished sign-in needs to complete, and its cookie cannot hold. */
export interface StoredStep {
  /** Random: at most 43 characters, compared exactly. */
  readonly id: string
  /** Sealed by core: ASCII, at most 64 KiB. */
  readonly data: string
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

/**
 * An event as a storage keeps it until it is delivered. Times are whole seconds since 1970. It holds
 * no token of an account, no password and no link.
 */
export interface StoredEvent {
  /** A UUID of version 7 (RFC 9562 §5.7): a later event has a greater id. */
  readonly id: string
  readonly createdAt: number
  /** When the event is deleted if it was not delivered. */
  readonly expires: number
  /** What core delivers, as JSON text. */
  readonly data: string
}

/** An event that was taken to be delivered. */
export interface TakenEvent extends StoredEvent {
  /** How often the event was taken, this time included: at least 1. */
  readonly attempts: number
  /** The sessions that `deleteAccountSessions` has deleted in the step of the event; absent for other events. */
  readonly sessionIds?: readonly string[] | undefined
}

/**
 * A change of which its user is notified by email. `newBrowser`: a sign-in in a browser in which the user has not
 * signed in before · `secondFactorFailed`: a hundred wrong codes without a success · `applicationReused`: a code or a refresh token of
 * an application was used again, so its access has ended.
 */
export type SecurityChange =
  | 'newBrowser'
  | 'factorAdded'
  | 'factorRemoved'
  | 'recoveryCodeUsed'
  | 'recoveryCodesReplaced'
  | 'secondFactorFailed'
  | 'passwordChanged'
  | 'emailChanged'
  | 'accountLinked'
  | 'accountUnlinked'
  | 'applicationAllowed'
  | 'applicationReused'
