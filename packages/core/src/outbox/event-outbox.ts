import type { HostRequest } from '../lib/keep-alive.ts'
import type { Log } from '../lib/log.ts'
import type { AccountInfo, Authentication, Factor, StoredEvent, User } from '../ports/records.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** What an event of a session is made of. */
interface SessionFacts {
  readonly userId: string
  readonly sessionId: string
  /** The ids that the session had before its last confirmations. No payload has them. */
  readonly replaced?: readonly string[] | undefined
}

/** What an event of a user is made of. */
interface UserFacts {
  readonly user: Pick<User, 'id' | 'name' | 'email' | 'emailVerified'>
  /** The provider's id. */
  readonly provider: string
  readonly sessionId: string
}

/** What an event of an account is made of. */
interface AccountFacts {
  readonly user: Pick<User, 'id'>
  readonly account: AccountInfo
  readonly sessionId: string
}

/** What an event of a factor is made of. */
interface FactorFacts {
  readonly userId: string
  readonly factor: Pick<Factor, 'type' | 'id' | 'name'>
}

/** The events that describe a step of the storage, and what each is made of; the outbox picks members by name. */
export interface EventFacts {
  readonly signIn: AccountFacts & {
    readonly isNewUser: boolean
    readonly authentication: Authentication
  }
  readonly signOut: SessionFacts
  readonly createUser: UserFacts
  readonly updateUser: Pick<UserFacts, 'user'> & Partial<UserFacts>
  readonly deleteUser: { readonly userId: string }
  readonly linkAccount: AccountFacts
  readonly unlinkAccount: {
    readonly userId: string
    readonly account: Pick<AccountInfo, 'provider' | 'providerAccountId'>
  }
  readonly enrolFactor: FactorFacts
  readonly removeFactor: FactorFacts
  readonly updateSession: SessionFacts
  readonly revokeSession: {
    readonly userId: string
    readonly sessionId?: string
    readonly except?: string
    readonly replaced?: readonly string[] | undefined
  }
  readonly providerLogout: {
    readonly provider: string
    /** The user whose sessions the provider has ended; undefined if it names none. No payload has it. */
    readonly userId: string | undefined
  }
}

/** The outbox of one service. */
export interface EventOutbox {
  /**
   * Returns what the storage stores of an event, in the step that the event describes; nothing if the option
   * leaves the event out.
   *
   * @param request The request that the event belongs to. Default: a call of the server
   */
  toRows<Name extends keyof EventFacts>(
    name: Name,
    facts: EventFacts[Name],
    request?: HostRequest,
  ): readonly StoredEvent[]
  /**
   * Returns only the rows that follow an event: of a sign-out for a session that another one replaces, for which the application has
   * no event.
   */
  toFollowers<Name extends keyof EventFacts>(
    name: Name,
    facts: EventFacts[Name],
    request?: HostRequest,
  ): readonly StoredEvent[]
  /**
   * Returns what the storage stores of an event that the service itself delivers.
   *
   * @param due Seconds since 1970
   * @param request The request after which it is delivered, if it is due. Default: none
   */
  toOwnRow(name: string, data: object, due: number, request?: HostRequest): StoredEvent
  /**
   * Delivers the events of {@link toOwnRow} with a name. They never reach the application.
   *
   * @param deliver Receives `data`. If it throws, the event is delivered again later
   * @param follows Events in whose steps one is stored too, with what they are made of as `data`, whether the application stores
   *   them or not. Default: none
   */
  deliverOwn(
    name: string,
    deliver: (data: never) => Promise<void>,
    follows?: readonly (keyof EventFacts)[],
  ): void
  /**
   * Delivers some of the events that are due. The caller does not wait.
   *
   * @param request If it has stored no event since its last delivery, nothing is delivered. Default: a call of the server
   */
  deliverSoon(request?: HostRequest): void
  /**
   * Delivers the events that are due, and deletes those that have expired.
   *
   * @param seconds The time after which no more events are taken
   */
  deliver(seconds: number): Promise<DeliveryCounts>
}

/** What a delivery of events has done. */
export interface DeliveryCounts {
  /** The number of events that were delivered. */
  readonly delivered: number
  /** The number of events whose delivery failed: each is due again later. */
  readonly failed: number
}

/** What an outbox works with. */
export interface OutboxParts {
  readonly storage: GuardedStorage | undefined
  /** If they are revocable, the storage records that a session begins and ends. */
  readonly sessions: { readonly isRevocable: boolean }
  readonly runtime: Runtime
  /** Seconds. */
  readonly timeouts: { readonly request: number; readonly callback: number }
  readonly log: Log
}

/** The value of the option `outbox`. It brings its code along, so that others do not bundle it. */
export interface Outbox {
  /** Not a member: the compiler prints what to write in place of an object. */
  readonly deliver?: 'write outbox({ deliver }), of @latchkey/core/outbox'
  /** Creates the outbox of one service. */
  readonly createOutbox: (parts: OutboxParts) => EventOutbox
}
