import type { AuthAccounts } from '../api/accounts.ts'
import type { AuthUsers } from '../api/users.ts'
import type { SignIn } from '../kernel/callbacks.ts'
import type { Context, Input, Service } from '../kernel/context.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Reply } from '../http/reply.ts'
import type { SecurityChange, StoredUser } from '../ports/records.ts'
import type { BegunSession } from '../session/current-session.ts'
import type { ResolvedUser } from '../sign-in/resolve-user.ts'

/** A change that a user is notified of. */
export interface SecurityFacts {
  readonly userId: string
  readonly change: SecurityChange
  /** The id of the provider, or the type of the factor: not its name, which an attacker may have typed. */
  readonly detail?: string | undefined
  /** The user before the email address changed: the previous one gets an email too, if it was proven. */
  readonly previous?: Pick<StoredUser, 'email' | 'emailVerified'>
}

/** The calls that change stored users and their accounts. */
export interface UserCalls {
  readonly accounts: AuthAccounts
  readonly users: AuthUsers
}

/** Notifies the users of one service of changes that matter to their security (I-62). */
export interface SecurityNotices {
  /**
   * Notifies a user. It never rejects: what fails is logged.
   *
   * @param ctx The request that changed something, which does not wait. Default: a call of the server, which waits
   */
  notify(service: Service, facts: SecurityFacts, ctx?: Context): Promise<void>
  /**
   * Counts a change of a session's user that gives a lasting way in, before it is made.
   *
   * @throws AuthError `RateLimited`, `Unavailable`
   */
  limitChange(ctx: Context, userId: string): Promise<void>
  /** Lets the outbox deliver the emails that a limit has held back. */
  start(service: Service): void
  /** Notifies a user of what a request has changed. The reply does not wait. */
  note(ctx: Context, facts: SecurityFacts): void
  /** Notifies a user of an account that is linked. */
  noteLink(ctx: Context, signIn: SignIn): void
  /** Notifies a user of a sign-in in a new browser, and returns the cookie by which the browser is known then. */
  noteSignIn(
    ctx: Context,
    resolved: Pick<ResolvedUser, 'kind' | 'signIn'>,
    begun: Pick<BegunSession, 'userId'>,
  ): Promise<readonly CookieChange[]>
  /** Notifies users of what calls change. Calls of the server, which have no request, wait for the email. */
  watch(service: Service, calls: UserCalls, ctx?: Context): UserCalls
  /**
   * Answers `GET /end-sessions` and `POST /end-sessions`.
   *
   * @throws AuthError `Verification` if the link has expired or was used
   */
  answer(ctx: Context, input: Input): Promise<Reply>
}
