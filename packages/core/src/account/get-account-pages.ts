import type { Context, Input, Service } from '../kernel/context.ts'
import type { ErrorCode } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { Provider } from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'
import { holdsCode } from '../option-parts.ts'
import type { FlowTarget } from '../sign-in/flow.ts'
import type { AccountOption } from './option.ts'

/** What the account page shows besides the account. */
export interface AccountPageOptions {
  /** The error to show. Default: none */
  readonly error?: ErrorCode | undefined
  /** The HTTP status. Default: the error's, else 200 */
  readonly status?: number
  /** Default: the sentence of `error` */
  readonly message?: string
  /** Whether a change was just stored. */
  readonly isSaved?: boolean
  /** What the script of a provider is told in addition. */
  readonly gone?: object
}

/** The account pages of one service. */
export interface AccountPages {
  /**
   * Shows the account of the session's user, as a page or as JSON.
   *
   * @throws Refusal `SessionRequired`
   */
  show(ctx: Context, options: AccountPageOptions): Promise<Reply>
  /**
   * Answers `POST /account`: changes what the field `action` names.
   *
   * @throws Refusal `SessionRequired`, `ConfirmationRequired`; `Default` with 400, 404 or 409
   */
  change(ctx: Context, input: Input): Promise<Reply>
  /**
   * Checks that a provider can prove a new email address.
   *
   * @throws AuthError `AccessDenied`
   */
  checkStart(provider: Provider): void
  /**
   * Replaces the email address of the session's user by the one that an email has proven.
   *
   * @throws AuthError `SessionRequired`, `OAuthAccountNotLinked`
   */
  complete(ctx: Context, provider: Provider, flow: FlowTarget, identity: Identity): Promise<Reply>
}

/** What `accountPages()` returns. The service knows only its first part: account pages know the service. */
export interface AccountHolder extends AccountOption {
  readonly accountPages: AccountPages
}

/** Returns the account pages of a service; undefined without the option. */
export function getAccountPages({ account }: Pick<Service, 'account'>): AccountPages | undefined {
  return account && holdsCode<AccountHolder>(account, 'accountPages')
    ? account.accountPages
    : undefined
}
