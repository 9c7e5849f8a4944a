import type { Context, Service } from '../kernel/context.ts'
import type { CurrentSession } from '../api/get-session.ts'
import type { ErrorCode } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { TypedFields } from '../pages/signin.ts'
import type { Provider } from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'
import type { FlowTarget } from '../sign-in/flow.ts'

/** The options of `auth.requireRecent`. */
export interface RecentOptions {
  /** Seconds that have passed at most since the user proved who they are. Default: `confirmation.maxAge` */
  readonly maxAge?: number
  /** How many factors the user must have proven; 2 needs the method `mfa`. Default: 1 */
  readonly factors?: 1 | 2
  /**
   * Whether a session that is due is renewed. Use false if the response cannot carry `headers`, as in a server
   * component. Default: true
   */
  readonly renew?: boolean
}

/** What the page of a confirmation shows. */
export interface ConfirmPageOptions {
  readonly callbackUrl: string
  readonly error?: ErrorCode | undefined
  readonly status?: number
  /** Default: the sentence of `error` */
  readonly message?: string
  readonly typed?: TypedFields | undefined
}

/** Confirmations of one service: the purpose `confirm` of a flow. */
export interface Confirmations {
  /**
   * Checks that a request may begin a confirmation at a provider.
   *
   * @throws AuthError `SessionRequired` without a session; `AccessDenied` if the provider cannot confirm
   */
  checkStart(ctx: Context, provider: Provider): Promise<void>
  /**
   * Returns whether the session of a request was confirmed recently enough to link an account or to enrol a factor: with a
   * second factor, if its user has one.
   *
   * @param elapsed Seconds that may have passed in addition, since the check at the beginning of a flow. Default: 0
   */
  isRecent(ctx: Context, change: 'link' | 'factor', elapsed?: number): Promise<boolean>
  /**
   * Checks {@link Confirmations.isRecent}.
   *
   * @throws Refusal `ConfirmationRequired`, which leads to the page and then to `callbackUrl`
   */
  checkRecent(
    ctx: Context,
    callbackUrl: string,
    change: 'link' | 'factor',
    elapsed?: number,
  ): Promise<void>
  /** Shows the page with the ways in which the user of the session can confirm. */
  show(ctx: Context, options: ConfirmPageOptions): Promise<Reply>
  /**
   * Confirms the session in which the flow began: it gets a new id and a new authentication.
   *
   * @throws AuthError `SessionRequired` if that session has ended; `AccessDenied` if the identity is another
   *   user's, or the provider does not say when the user authenticated
   */
  complete(ctx: Context, provider: Provider, flow: FlowTarget, identity: Identity): Promise<Reply>
  /** Returns the session of a request if it was confirmed recently, else the response to send. */
  requireRecent(
    service: Service,
    request: Request,
    options?: RecentOptions,
  ): Promise<CurrentSession<unknown> | Response>
}
