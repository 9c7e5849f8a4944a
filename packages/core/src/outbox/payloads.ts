import type { AccountInfo, Authentication, Factor } from '../ports/records.ts'
import type { EventFacts } from './event-outbox.ts'

/** What the payloads of a request have in common. */
interface RequestPayload {
  readonly userId: string
  readonly sessionId: string
  /** The client's IP address; absent if the host does not supply it. */
  readonly ip?: string
}

/** The payload of an event about a user. */
export interface UserPayload extends RequestPayload {
  readonly name: string | null
  readonly email: string | null
  /** Whether the email address is verified. */
  readonly emailVerified: boolean
  /** The id of the provider that the user signed in with. */
  readonly provider: string
}

/** The payload of an event about an account: without its tokens. */
export interface AccountPayload extends RequestPayload {
  readonly account: AccountInfo
}

/** The payload of an event about a factor: without its data. */
interface FactorPayload {
  readonly userId: string
  readonly factor: Pick<Factor, 'type' | 'id' | 'name'>
}

/** The payloads of events, by their names: a whitelist. No payload holds a token, a password or a link. */
export interface OutboxPayloads {
  /** A user signed in: the session began. */
  readonly signIn: AccountPayload & {
    /** Whether the sign-in has stored the user. */
    readonly isNewUser: boolean
    /** How the user proved who they are. */
    readonly authentication: Authentication
  }
  /** A user signed out of a session. */
  readonly signOut: RequestPayload
  /** A user was stored. */
  readonly createUser: UserPayload
  /**
   * A sign-in or a linked account has changed a user: the email address is verified, or the missing name
   * or image is set. Or `auth.users.update` or the account page has: then there is neither `provider` nor
   * `sessionId`.
   */
  readonly updateUser: Omit<UserPayload, 'provider' | 'sessionId'> & Partial<UserPayload>
  /** A user was deleted: by `auth.users.delete`, or on the account page. */
  readonly deleteUser: { readonly userId: string; readonly ip?: string }
  /** An account was linked: the account of a new user, by the user, or by a verified email address. */
  readonly linkAccount: AccountPayload
  /** An account was unlinked. */
  readonly unlinkAccount: {
    readonly userId: string
    readonly account: Pick<AccountInfo, 'provider' | 'providerAccountId'>
    readonly ip?: string
  }
  /** A user enrolled a second factor. */
  readonly enrolFactor: FactorPayload & { readonly ip?: string }
  /** A factor was removed: by `auth.factors.remove`, or on the account page. */
  readonly removeFactor: FactorPayload & { readonly ip?: string }
  /** A session was changed through `POST /session`. */
  readonly updateSession: RequestPayload
  /** One session of a user was ended, or all: by `auth.sessions`, or by a request of the user. */
  readonly revokeSession: {
    readonly userId: string
    /** Absent if all were ended. */
    readonly sessionId?: string
    /** The session that `revokeAll` did not end. */
    readonly except?: string
    readonly ip?: string
  }
  /** A provider ended sessions by a back-channel logout. */
  readonly providerLogout: {
    /** The provider's id. */
    readonly provider: string
    readonly sessionIds: readonly string[]
    readonly ip?: string
  }
}

/** The name of an event that an outbox stores. */
export type OutboxEventName = keyof OutboxPayloads

/** Picks the members of a payload. The IP address and the ids of sessions are added elsewhere. */
type Pickers = {
  readonly [Name in keyof EventFacts]: (
    facts: EventFacts[Name],
  ) => Omit<OutboxPayloads[Name], 'ip' | (Name extends 'providerLogout' ? 'sessionIds' : never)>
}

const pickSession: Pickers['signOut'] = ({ userId, sessionId }) => ({ userId, sessionId })

const pickUser = ({ user }: EventFacts['updateUser']): Omit<OutboxPayloads['updateUser'], 'ip'> => {
  const { id: userId, name, email, emailVerified } = user
  return { userId, name, email, emailVerified }
}

const pickAccount: Pickers['linkAccount'] = ({ user, account, sessionId }) => {
  const { provider, type, providerAccountId } = account
  return { userId: user.id, account: { provider, type, providerAccountId }, sessionId }
}

function pickAuthentication({
  authenticatedAt,
  methods,
  provider,
}: Authentication): Authentication {
  const { amr, acr } = { ...provider }
  return { authenticatedAt, methods, ...(provider && { provider: { amr, acr } }) }
}

function pickFactor({ userId, factor: { type, id, name } }: FactorPayload): FactorPayload {
  return { userId, factor: { type, id, name } }
}

const pickers: Pickers = {
  signIn: (facts) => ({
    ...pickAccount(facts),
    isNewUser: facts.isNewUser,
    authentication: pickAuthentication(facts.authentication),
  }),
  signOut: pickSession,
  createUser: ({ provider, sessionId, ...facts }) => ({ ...pickUser(facts), provider, sessionId }),
  updateUser: ({ provider, sessionId, ...facts }) => ({
    ...pickUser(facts),
    ...(provider !== undefined && { provider }),
    ...(sessionId !== undefined && { sessionId }),
  }),
  deleteUser: ({ userId }) => ({ userId }),
  linkAccount: pickAccount,
  unlinkAccount: ({ userId, account: { provider, providerAccountId } }) => ({
    userId,
    account: { provider, providerAccountId },
  }),
  enrolFactor: pickFactor,
  removeFactor: pickFactor,
  updateSession: pickSession,
  revokeSession: ({ userId, sessionId, except }) => ({
    userId,
    ...(sessionId !== undefined && { sessionId }),
    ...(except !== undefined && { except }),
  }),
  providerLogout: ({ provider }) => ({ provider }),
}

/** Returns the payload of an event: only the members that are listed here. */
export function toPayload<Name extends OutboxEventName>(
  name: Name,
  facts: EventFacts[Name],
): object {
  return pickers[name](facts)
}

/** The names of all events that an outbox stores. */
export const eventNames: readonly OutboxEventName[] = Object.keys(pickers) as OutboxEventName[]
