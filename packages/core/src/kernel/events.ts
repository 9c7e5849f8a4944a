import type { ErrorCode } from '../ports/error-code.ts'
import type { AccountInfo, Authentication, Factor, SecurityChange, User } from '../ports/records.ts'
import type { SessionToken } from '../session/session-claims.ts'

/** What the events of a request have in common. */
interface RequestEvent {
  /** The client's IP address; absent if the host does not supply it. */
  readonly ip?: string
}

/** What the events of a sign-in have in common. */
interface ProviderEvent extends RequestEvent {
  readonly user: User
  /** The provider's id. */
  readonly provider: string
  /** The session's id, as `auth.sessions` lists it. It cannot be used to sign in. */
  readonly sessionId: string
}

/** A linked account, as events receive it: without tokens. */
export interface AccountEvent extends ProviderEvent {
  /** Without its tokens: an event often ends in a log. */
  readonly account: AccountInfo
  /** All claims of the provider, unchanged. */
  readonly profile: Readonly<Record<string, unknown>>
}

/** A completed sign-in, as events receive it: without tokens. */
export interface SignInEvent extends AccountEvent {
  /** Whether the sign-in has stored the user: false without a storage. */
  readonly isNewUser: boolean
  /** How the user proved who they are. */
  readonly authentication: Authentication
}

interface SessionEvent<Session, Token> extends RequestEvent {
  readonly session: Session
  readonly token: Token
  /** How the user proved who they are; absent if the session does not know it. */
  readonly authentication?: Authentication | undefined
}

/**
 * Listeners, called after the fact. If one throws, that is logged and changes nothing. A request does
 * not wait for them: the host keeps itself alive by `waitUntil`. No event has the tokens of an account.
 */
export interface Events<Session = unknown, Token extends SessionToken = SessionToken> {
  /** A user signed in. */
  readonly signIn?: (event: SignInEvent) => unknown
  /** A sign-in failed, when it began or at its callback. */
  readonly signInFailed?: (
    event: RequestEvent & { readonly provider: string; readonly error: ErrorCode },
  ) => unknown
  /** A user signed out of a session. */
  readonly signOut?: (
    event: RequestEvent & { readonly token: Token; readonly sessionId: string },
  ) => unknown
  /** A user was stored. */
  readonly createUser?: (event: ProviderEvent) => unknown
  /**
   * A sign-in or a linked account has changed a user: the email address is verified, or the missing name
   * or image is set. Or `auth.users.update` has: then there is neither `provider` nor `sessionId`.
   */
  readonly updateUser?: (
    event: Pick<ProviderEvent, 'user' | 'ip'> & Partial<Omit<ProviderEvent, 'user'>>,
  ) => unknown
  /** `auth.users.delete` deleted a user. */
  readonly deleteUser?: (event: { readonly userId: string }) => unknown
  /** An account was linked: the account of a new user, by the user, or by a verified email address. */
  readonly linkAccount?: (event: AccountEvent) => unknown
  /** A sign-in joined the user who had its email address unverified, and ended the accounts that `joinsUnverified` did not keep. */
  readonly joinUser?: (event: ProviderEvent & { readonly ended: readonly AccountInfo[] }) => unknown
  /** `auth.accounts.unlink` unlinked an account. */
  readonly unlinkAccount?: (event: {
    readonly userId: string
    readonly account: Pick<AccountInfo, 'provider' | 'providerAccountId'>
  }) => unknown
  /** A user enrolled a second factor. */
  readonly enrolFactor?: (event: FactorEvent & Pick<RequestEvent, 'ip'>) => unknown
  /** `auth.factors.remove` removed a factor. */
  readonly removeFactor?: (event: FactorEvent) => unknown
  /** A session was read through `GET /session`. */
  readonly session?: (event: SessionEvent<Session, Token>) => unknown
  /** A session was changed through `POST /session`. */
  readonly updateSession?: (event: SessionEvent<Session, Token>) => unknown
  /** A provider ended sessions by a back-channel logout; often none of them still existed. */
  readonly providerLogout?: (event: {
    /** The provider's id. */
    readonly provider: string
    readonly sessionIds: readonly string[]
  }) => unknown
  /** `auth.sessions.revoke` ended one session, or `revokeAll` all sessions of a user. */
  readonly revokeSession?: (event: {
    readonly userId: string
    /** Absent if all were ended. */
    readonly sessionId?: string
    /** The session that `revokeAll` did not end. */
    readonly except?: string
  }) => unknown
  /**
   * Something changed of which `securityEmails()` notifies a user, also if no email was sent: because of the
   * limit, or because the email address is not proven.
   */
  readonly securityChanged?: (
    event: RequestEvent & {
      readonly user: User
      readonly change: SecurityChange
      /** Such as `Firefox (Windows)`; absent for calls of the server, and if it is not known. */
      readonly browser?: string
      /** Seconds since 1970. */
      readonly at: number
    },
  ) => unknown
}

/** What an event about a factor has. */
interface FactorEvent {
  readonly userId: string
  readonly factor: Pick<Factor, 'type' | 'id' | 'name'>
}
