import type { Context, ProviderInput } from './context.ts'
import type { Reply } from './http/reply.ts'
import { holdsCode } from './option-parts.ts'
import type { Markup } from './pages/html.ts'
import type { PageContext } from './pages/layout.ts'
import type { Messages } from './ports/messages.ts'
import type { OutOfBand, Provider } from './ports/provider.ts'
import type { Identity } from './ports/records.ts'
import type { BegunSession } from './session/current-session.ts'
import type { EnrolledFactor } from './sign-in/flow.ts'
import type { TokenContext } from './storage/token-context.ts'

/** Answers a request whose path names the provider. */
type ProviderAction = (ctx: Context, input: ProviderInput) => Promise<Reply>

/** What a provider answers itself, because it has further pages and changes what is stored (I-55). */
export interface ProviderActions {
  /** Answers `GET /signin/:provider` if the query has `action`. */
  readonly show: ProviderAction
  /** Answers `POST /signin/:provider`. */
  readonly start: ProviderAction
  /** Answers `GET /callback/:provider`. */
  readonly receive: ProviderAction
  /** Answers `POST /callback/:provider`. */
  readonly post: ProviderAction
  /** Fields of its forms, besides `fields`, of which a second value is refused. */
  readonly fieldNames: readonly string[]
  /** Returns what the form on the sign-in page has below its button. */
  readonly renderLinks: (view: LinksView) => Markup
  /**
   * Checks again what proved a user: before the sign-in is stored, and once its session has begun.
   *
   * @throws AuthError `SessionRequired`, and what has begun has ended
   */
  readonly checkAgain: (ctx: Context, identity: Identity, begun?: Begun) => Promise<void>
  /** Returns what the ids of all valid tokens for an email address end with. */
  readonly getTokenSuffix: (ctx: TokenContext, address: string) => Promise<string>
  /** Returns the texts by which the account page shows what the provider keeps of a user. */
  readonly getAccountTexts: (messages: Messages) => ProviderAccountTexts
  /** Describes the emails of the provider. They do not sign in, so they are not in `outOfBand` of the provider itself. */
  readonly outOfBand: OutOfBand
}

/** What the account page calls a factor by which users sign in. */
export interface ProviderAccountTexts {
  readonly name: string
  /** The link to the form that changes it. */
  readonly change: string
  /** The link of a user without one. */
  readonly add: string
}

/** What the links below a form need of the page. */
export type LinksView = PageContext & { readonly base: string; readonly callbackUrl: string }

/** What has begun with a proof. */
export interface Begun extends Pick<BegunSession, 'sessionId' | 'userId'> {
  /** A second factor that the sign-in has enrolled. */
  readonly enrolled: EnrolledFactor | undefined
}

/** A provider that answers requests itself. The service knows only its first part: the actions know the service. */
export interface ActingProvider extends Provider {
  readonly actions: ProviderActions
}

/** Returns the actions of a provider; undefined if the service answers in its place. */
export function getActions(provider: object): ProviderActions | undefined {
  return holdsCode<ActingProvider>(provider, 'actions') ? provider.actions : undefined
}

/** Returns what describes the emails of a provider; undefined if it sends none. */
export function getOutOfBand(provider: Provider): OutOfBand | undefined {
  return provider.outOfBand ?? getActions(provider)?.outOfBand
}
