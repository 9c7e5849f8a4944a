import type {
  ErrorCode,
  SessionInfo,
  Provider,
  AccountInfo,
  StoredUser,
  FactorInfo,
} from '@latchkey/core'
import { acceptsJson, getAccountTexts } from '@latchkey/core/capability/pages'
import { toPageContext, json, page, withCookies } from '@latchkey/core/capability'
import type { Context, SignedInUser, Reply } from '@latchkey/core/capability'
import {
  createAuthAccounts,
  createAuthSessions,
  toFactorInfo,
  getAccountUrl,
  getSignedInUser,
  hasFactorToSignIn,
  whyKept,
} from '@latchkey/core/capability/factors'
import { renderAccountPage } from './pages/account.ts'
import type { AccountView } from './pages/account.ts'

/** Sessions that the page shows. */
const MAX_SESSIONS = 100

/** What a user sees of an account. Times are seconds since 1970. */
interface AccountState {
  readonly user: Pick<StoredUser, 'id' | 'name' | 'email' | 'emailVerified' | 'image'>
  readonly accounts: readonly AccountInfo[]
  readonly factors: readonly FactorInfo[]
  readonly sessions: readonly SessionInfo[]
}

/** What the account page shows besides the account. */
interface AccountPageOptions {
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

/** Shows the account of the session's user (I-54), as JSON if the request asks for it. */
export async function showAccountPage(ctx: Context, options: AccountPageOptions): Promise<Reply> {
  const signedIn = await getSignedInUser(ctx)
  const state = await readAccount(ctx, signedIn)
  const held = await readSections(ctx, signedIn)
  const members = held.map((each) => each.held.json)
  if (acceptsJson(ctx.request.headers)) return json(Object.assign({ ...state }, ...members))
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const { error, status, message = error && toSentence(ctx, error), isSaved = false } = options
  const base = ctx.baseUrl.href
  const view = {
    ...toPageContext(ctx),
    ...state,
    ...(await toWays(ctx, state)),
    ofSections: held,
    gone: options.gone,
    base,
    url: getAccountUrl(ctx),
    csrfToken,
    message,
    isSaved,
    days: new Intl.DateTimeFormat(ctx.language.tag, { dateStyle: 'medium', timeZone: 'UTC' }),
  }
  return withCookies(page(renderAccountPage(view), status), cookies)
}

/** Returns the sentence of an error: of a change of the email address no sign-in has failed. */
function toSentence(
  { language: { messages } }: Context,
  error: NonNullable<AccountPageOptions['error']>,
): string {
  if (error === 'OAuthAccountNotLinked') return getAccountTexts(messages).emailTaken
  // The link was of a session that has ended or was confirmed since.
  return messages.errors[error === 'SessionRequired' ? 'Verification' : error]
}

async function readAccount(
  ctx: Context,
  { user: { id, name, email, emailVerified, image }, sessionId }: SignedInUser,
): Promise<AccountState> {
  const { service } = ctx
  const [accounts, factors, sessions] = await Promise.all([
    createAuthAccounts(service).list(id),
    service.capabilities.proven?.list(service, id) ?? [],
    createAuthSessions(service).list(id),
  ])
  return {
    user: { id, name, email, emailVerified, image },
    accounts,
    factors: factors.map(toFactorInfo),
    sessions: listShown(sessions, sessionId),
  }
}

/** Returns the factors by which the user signs in, as their sections show them. */
async function readSections(
  ctx: Context,
  { user }: Pick<SignedInUser, 'user'>,
): Promise<AccountView['ofSections']> {
  const { sections } = ctx.service.capabilities
  return Promise.all(
    sections.map(async (section) => ({ section, held: await section.read(ctx, user) })),
  )
}

/** Lists the current session and the newest others: a page is not unbounded. */
function listShown(sessions: readonly SessionInfo[], currentId: string): readonly SessionInfo[] {
  const marked = sessions.map((session) => ({ ...session, isCurrent: session.id === currentId }))
  const sorted = marked.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
  return sorted.slice(0, MAX_SESSIONS)
}

/** Returns whether a provider sends emails, and its form asks for `email`, as the form of the page does. */
export function isEmailProvider({ type, outOfBand, fields }: Provider): boolean {
  return type === 'email' && outOfBand !== undefined && 'email' in { ...fields }
}

/** Returns what the user can add to the account, and remove from it. */
async function toWays(
  ctx: Context,
  { user, accounts }: AccountState,
): Promise<
  Pick<AccountView, 'names' | 'providers' | 'forms' | 'isBackup' | 'emailProvider' | 'removable'>
> {
  const { service } = ctx
  const { proven, backups } = service.capabilities
  const providers = [...service.providers.values()]
  const held = { user, accounts, hasFactor: await hasFactorToSignIn(ctx, user.id) }
  const linked = new Set(accounts.map(({ provider }) => provider))
  const linkable = providers.filter(({ provesByForm }) => !provesByForm)
  return {
    removable: new Set(accounts.filter((each) => !whyKept(service, held, each))),
    names: new Map(providers.map(({ id, name }) => [id, name])),
    // A user can have several email addresses.
    providers: linkable.filter(({ id, outOfBand }) => outOfBand !== undefined || !linked.has(id)),
    emailProvider: providers.find(isEmailProvider)?.id,
    forms: proven?.listForms(ctx.language.messages) ?? [],
    isBackup: (type) => backups.includes(type),
  }
}
