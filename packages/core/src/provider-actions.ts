import type { Change } from './account/change.ts'
import type { Context, DoneSignIn, ProviderInput } from './kernel/context.ts'
import type { Reply } from './http/reply.ts'
import type { CookieChange } from './http/set-cookie.ts'
import type { LimitName } from './limits/limits.ts'
import { holdsCode } from './option-parts.ts'
import type { Markup } from './pages/html.ts'
import type { PageContext } from './pages/layout.ts'
import type { Messages } from './ports/messages.ts'
import type { OutOfBand, Provider } from './ports/provider.ts'
import type { Factor, Identity, ProvenBy } from './ports/records.ts'
import type { BegunSession } from './session/current-session.ts'
import type { EnrolledFactor } from './kernel/flow.ts'
import type { TokenContext } from './storage/token-context.ts'

/** Answers a request whose path names the provider. */
type ProviderAction = (ctx: Context, input: ProviderInput) => Promise<Reply>

/** What a provider answers itself, because it has further pages and changes what is stored (I-55, I-56). */
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
  /** Counts the requests to `start`. Default: `startsPerClient` */
  readonly startLimit?: LimitName
  /** Returns what the form on the sign-in page has below its button. */
  readonly renderLinks?: (view: LinksView) => Markup
  /** Returns the form of the provider, in place of a form with its fields. */
  readonly renderForm?: (view: FormView) => Markup
  /** Makes the changes of `pending` of an identity, and returns the identity that begins the session. */
  readonly settle?: (ctx: Context, identity: Identity) => Promise<Identity>
  /** Notes that a second factor was proven after the factor of the provider. */
  readonly noteSecond?: (ctx: Context, provenBy: ProvenBy, userId: string) => Promise<void>
  /** Returns what the ids of all valid tokens for an email address end with. */
  readonly getTokenSuffix?: (ctx: TokenContext, address: string) => Promise<string>
  /** Returns the texts by which the account page shows what the provider keeps of a user. */
  readonly getAccountTexts?: (messages: Messages) => ProviderAccountTexts
  /** The factors of a user on the account page, and their changes. */
  readonly account?: ProviderAccount
  /** Returns the page that a sign-in leads to first; undefined if there is none. */
  readonly offer?: (ctx: Context, done: DoneSignIn) => Promise<Offer | undefined>
  /** Describes the emails of the provider. They do not sign in, so they are not in `outOfBand` of the provider itself. */
  readonly outOfBand?: OutOfBand
}

/** What the account page calls a factor by which users sign in. */
export interface ProviderAccountTexts {
  readonly name: string
  /** The link to the form that changes it. */
  readonly change: string
  /** The link of a user without one. */
  readonly add: string
}

/** The factors by which users sign in through a provider, as the account page shows and changes them. */
export interface ProviderAccount {
  readonly read: (ctx: Context, userId: string) => Promise<ProviderFactors>
  /** Renders what adds a factor. */
  readonly render: (view: FormView, factors: ProviderFactors) => Markup
  /** The changes, by the value of the field `action`. */
  readonly changes: ReadonlyMap<string, Change>
  /** Returns whether a factor counts as two, as a passkey that verifies its user. */
  readonly isBoth: (factor: Factor) => boolean
  /** Returns whether a factor signs in at an origin, as a passkey of its RP ID. */
  readonly isUsable: (factor: Factor, origin: string) => boolean
  /** The values of `action` that rename and remove a factor. */
  readonly actions: { readonly rename: string; readonly remove: string }
}

/** The factors by which a user signs in through a provider. */
export interface ProviderFactors {
  readonly factors: readonly ShownFactor[]
  /** The members of the account in JSON. */
  readonly json: Readonly<Record<string, unknown>>
  /** What a script of the page reads. */
  readonly forScript: unknown
}

/** A factor as the account page shows it. */
export interface ShownFactor extends Pick<Factor, 'id' | 'name' | 'createdAt' | 'lastUsedAt'> {
  /** What it is called without a name. */
  readonly typeName: string
  readonly facts: readonly string[]
}

/** A page that a sign-in leads to first. */
export interface Offer {
  readonly url: string
  readonly cookies: readonly CookieChange[]
}

/** What the links below a form need of the page. */
export type LinksView = PageContext & { readonly base: string; readonly callbackUrl: string }

/** What a form needs of the page. */
export type FormView = LinksView & {
  readonly csrfToken: string
  /** What each form of the page posts besides. */
  readonly hidden?: Readonly<Record<string, string>>
  /** What each form has before its button. */
  readonly beforeButton?: Markup
}

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
