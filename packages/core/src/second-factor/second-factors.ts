import type { SignIn } from '../kernel/callbacks.ts'
import type { Context, Input, ProviderInput, Service } from '../kernel/context.ts'
import type { ErrorCode } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { Provider } from '../ports/provider.ts'
import type { Authentication, AuthenticationMethod, Factor, Identity } from '../ports/records.ts'
import type { BegunSession } from '../session/current-session.ts'
import type { SatisfiedBy, Session } from '../session/session.ts'
import type { FlowTarget } from '../kernel/flow.ts'
import type { Methods } from './factors.ts'
import type { OpenedStep } from './step.ts'

/** A first factor that is proven, of a sign-in or a confirmation. */
export interface ProvenFirst {
  readonly provider: Provider
  readonly flow: FlowTarget
  readonly identity: Identity
  /** The sign-in with the user as resolved. */
  readonly signIn: SignIn
  /** Whether the user is not stored yet. */
  readonly isNew: boolean
}

/** How a proven first factor continues: the user is asked for a second one, or has proven enough. */
export type Continued = { readonly reply: Reply } | Enough

/** A proof that is enough for the factors of its user. */
export interface Enough {
  readonly authentication: Authentication
  /** Undefined if nothing was required, as of a confirmation by one factor. */
  readonly satisfiedBy?: SatisfiedBy | undefined
  /** The fingerprint of the factors; undefined if the sign-in itself enrols one. */
  readonly factors?: string | undefined
}

/** What the page of the second step shows. */
export interface SecondPageOptions {
  readonly callbackUrl: string
  readonly error?: ErrorCode | undefined
  readonly status?: number
  /** Default: the sentence of `error` */
  readonly message?: string
  /** The method whose code was wrong. */
  readonly mistake?: string | undefined
}

/** Shows a page of second factors. */
export type ShowSecondPage = (ctx: Context, options: SecondPageOptions) => Promise<Reply>

/** A factor of a user, without its data. */
export type FactorInfo = Pick<
  Factor,
  'type' | 'id' | 'name' | 'changedAt' | 'createdAt' | 'lastUsedAt'
>

/** The outcome of {@link AuthFactors.remove}. */
export type RemovedFactor = 'removed' | 'last' | 'unknown'

/** The options of {@link AuthFactors.remove}. */
export interface RemoveFactorOptions {
  /**
   * Whether the last second factor of a user who needs one is removed too, as by an administrator: the next sign-in
   * enrols another one. Default: false
   */
  readonly evenIfRequired?: boolean
}

/**
 * Every factor of stored users, whatever is configured: passwords, passkeys, authenticator apps, recovery codes. To enrol a
 * second factor, post `link=true` to `/signin/:method`. Before a call
 * for the user of a request, the application calls `auth.requireRecent`.
 */
export interface AuthFactors {
  /**
   * Returns a user's factors, oldest first.
   *
   * @throws ConfigurationError without a storage that has the capability `factors`
   * @throws AuthError `Unavailable` if the storage fails
   */
  list(userId: string): Promise<readonly FactorInfo[]>
  /**
   * Removes a factor of a user; with the last second factor also the recovery codes. Unfinished sign-ins
   * of the user end, and browsers are asked again. The event `removeFactor` is emitted, and its listener is
   * waited for.
   *
   * @returns `removed`; `unknown` if the user has no such factor; `last`, and nothing changed, if it is the last second
   *   factor of a user who needs one, or takes the user's last way to sign in whose provider is configured
   *
   * @throws ConfigurationError without a storage that has the capability `factors`
   * @throws AuthError `Unavailable` if the storage fails; `Callback`, and nothing changed, if the option `require`
   *   throws
   */
  remove(
    userId: string,
    factor: Pick<Factor, 'type' | 'id'>,
    options?: RemoveFactorOptions,
  ): Promise<RemovedFactor>
  /**
   * Names a factor of a user, who can have several. Unfinished sign-ins and remembered browsers
   * continue, and no event is emitted.
   *
   * @param name 1 to 64 characters without control characters, shortened by white space around it; or null
   * @returns False if the user has no such factor
   *
   * @throws ConfigurationError without a storage that has the capability `factors`
   * @throws TypeError if `name` is invalid
   * @throws AuthError `Unavailable` if the storage fails
   *
   * @example
   *   import type { Auth } from '@latchkey/core'
   *
   *   declare const auth: Auth
   *   async function nameApp(userId: string, id: string): Promise<boolean> {
   *     return auth.factors.rename(userId, { type: 'totp', id }, 'Phone')
   *   }
   */
  rename(userId: string, factor: Pick<Factor, 'type' | 'id'>, name: string | null): Promise<boolean>
}

/**
 * Proves a factor of the user of a step, and returns its methods without `mfa`.
 *
 * @param factors The factors of the user, unchanged since the step began
 */
export type ProveSecond = (
  step: OpenedStep,
  factors: readonly Factor[],
) => Promise<readonly AuthenticationMethod[]>

/** A factor that a provider has enrolled in a session. */
export interface EnrolledElsewhere {
  readonly type: string
  /** Whether the user had no second factor before it was stored: of two at the same moment each is the first one. */
  readonly isFirst: boolean
  readonly session: Session
  readonly input: Input
  /** Where the enrolment leads. */
  readonly url: string
}

/** The second factors of one service. */
export interface SecondFactors {
  /** By id. */
  readonly methods: Methods
  /** The methods in the form of providers, so that a path can name them. No list shows them. */
  readonly providers: ReadonlyMap<string, Provider>
  /**
   * Decides whether a proven first factor is enough: the one place where that is decided.
   *
   * @throws AuthError `SessionRequired` if the user is another one than at the first step
   */
  ask(ctx: Context, first: ProvenFirst): Promise<Continued>
  /**
   * Ends a session that has begun while a factor of its user was enrolled or changed: the change has ended only
   * the sessions that it found.
   *
   * @throws AuthError `SessionRequired`
   */
  checkAgain(ctx: Context, enough: Pick<Enough, 'factors'>, begun: BegunSession): Promise<void>
  /**
   * Returns what shows the page of `GET /signin` with these parameters: the second step, an enrolment, or the second
   * factors that the user of a session can enrol. Undefined for the sign-in page.
   */
  findPage(query: Input['query']): ShowSecondPage | undefined
  /**
   * Answers `POST /signin/:method`: enrols a factor, or completes what waits for one.
   *
   * @param prove Of a method that a provider asks for
   * @throws Refusal
   */
  post(ctx: Context, input: ProviderInput, prove?: ProveSecond): Promise<Reply>
  /**
   * Returns the sign-in that waits in this browser for a factor of this type, which a provider asks for.
   *
   * @throws AuthError `SessionRequired` (403) if there is none
   */
  getStep(ctx: Context, type: string): Promise<OpenedStep>
  /**
   * Continues after a provider has enrolled a factor of this type in a session: the first second factor of a user ends the
   * other sessions, and has recovery codes. Undefined if it is not the first one.
   */
  completeEnrolment(ctx: Context, enrolled: EnrolledElsewhere): Promise<Reply | undefined>
  /** Ends the unfinished sign-ins of a user, and the browsers in which the second factor is spared. */
  endSteps(service: Service, userId: string): Promise<void>
  /** Begins another count of a hundred failed attempts of a user. */
  restartFailures(service: Service, userId: string): Promise<void>
  /** Returns a user's second factors and what stands in for them. */
  list(service: Service, userId: string): Promise<readonly Factor[]>
  /**
   * Returns whether a factor is the only second factor of a user who needs one.
   *
   * @throws AuthError `Callback` if the option `require` throws
   */
  mustStay(service: Service, held: Factor, options: RemoveFactorOptions): Promise<boolean>
  /** Ends what a factor that was removed has begun, and removes the recovery codes with the last second factor. */
  afterRemoval(service: Service, removed: Factor): Promise<void>
}
