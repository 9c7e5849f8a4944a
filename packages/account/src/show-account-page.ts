import type { ErrorCode } from '@latchkey/core'
import { acceptsJson } from '@latchkey/core/capability/pages'
import { getAccountTexts } from './texts.ts'
import { checkRecent, json, page, toPageContext, withCookies } from '@latchkey/core/capability'
import type { Context, Reply } from '@latchkey/core/capability'
import {
  createAuthAccounts,
  getAccountUrl,
  getSignedInUser,
} from '@latchkey/core/capability/factors'
import { renderAccountPage } from './pages/account.ts'
import { renderAddPage, renderRowPage } from './pages/row.ts'
import type { AccountView } from './pages/forms.ts'
import { findPage, readParts } from './read-sections.ts'
import type { Part, RowPage } from './read-sections.ts'
import { getRowUrl } from './row-key.ts'
import { getAddUrl, listLinkable } from './sections/ways.ts'

/** What the account page shows besides the account. */
interface AccountPageOptions {
  /** The error to show. Default: none */
  readonly error?: ErrorCode | undefined
  /** The HTTP status. Default: the error's, else 200 */
  readonly status?: number
  /** Default: the sentence of `error` */
  readonly message?: string | undefined
  /** Whether a change was just stored. */
  readonly isSaved?: boolean
  /** What the script of a provider is told in addition. */
  readonly gone?: object
  /** What names the page of a row. Default: the whole account */
  readonly row?: string | undefined
  /** What the user has typed there. Default: nothing */
  readonly typed?: ReadonlyMap<string, string> | undefined
}

/** Shows the account of the session's user (I-54), as JSON if the request asks for it. */
export async function showAccountPage(ctx: Context, options: AccountPageOptions): Promise<Reply> {
  const { row, status } = options
  const signedIn = await getSignedInUser(ctx, getRowUrl(ctx, row))
  const parts = await readParts(ctx, signedIn)
  if (acceptsJson(ctx.request.headers)) return json(toJson(parts))
  const found = row === undefined ? undefined : findPage(ctx, parts, row)
  // After an error the user has confirmed before.
  if (found && status === undefined) await confirmFirst(ctx, found)
  const { view, cookies } = await createView(ctx, options)
  const html = found
    ? renderRowPage(view, found)
    : renderAccountPage({ ...view, parts, isRecent: await isRecent(ctx, parts) })
  return withCookies(page(html, status), cookies)
}

/** Shows the page on which the user of a session adds a way to sign in. */
export async function showAddPage(ctx: Context, error: ErrorCode | undefined): Promise<Reply> {
  const url = getAddUrl(ctx)
  const { user } = await getSignedInUser(ctx, url)
  await checkRecent(ctx, url, 'link')
  const accounts = await createAuthAccounts(ctx.service).list(user.id)
  const { view, cookies } = await createView(ctx, { error })
  return withCookies(page(renderAddPage(view, listLinkable(ctx, accounts))), cookies)
}

/** Of a part of the same name the last one counts, as of the factors. */
function toJson(parts: readonly Part[]): object {
  const members = parts.map((part) => part.json)
  return Object.assign({ user: {}, accounts: [], factors: [], sessions: [] }, ...members)
}

/** Asks for a recent confirmation before the user types or presses anything: the forms need it. */
async function confirmFirst(ctx: Context, { url, change, removal }: RowPage): Promise<void> {
  const needs = [change?.needs, removal?.needs].find(Boolean)
  if (needs) await checkRecent(ctx, url, needs)
}

/** Returns whether forms of the page can be posted now, which need a confirmation. */
async function isRecent(ctx: Context, parts: readonly Part[]): Promise<boolean> {
  const { recency } = ctx.service.capabilities
  const forms = parts.flatMap((part) => [
    ...part.forms,
    ...part.rows.flatMap((row) => row.form ?? []),
  ])
  if (!recency || !forms.some(({ form }) => form.needs)) return true
  return recency.isRecent(ctx, 'factor')
}

async function createView(
  ctx: Context,
  { error, message, isSaved = false, gone, typed }: AccountPageOptions,
): Promise<{ readonly view: AccountView } & Pick<Reply, 'cookies'>> {
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const view = {
    ...toPageContext(ctx),
    base: ctx.baseUrl.href,
    url: getAccountUrl(ctx),
    getRowUrl: (key: string | undefined) => getRowUrl(ctx, key),
    csrfToken,
    message: message ?? (error && toSentence(ctx, error)),
    isSaved,
    gone,
    typed,
    days: new Intl.DateTimeFormat(ctx.language.tag, { dateStyle: 'medium', timeZone: 'UTC' }),
  }
  return { view, cookies }
}

/** Returns the sentence of an error: of a change of the email address no sign-in has failed. */
function toSentence({ language: { messages } }: Context, error: ErrorCode): string {
  if (error === 'OAuthAccountNotLinked') return getAccountTexts(messages).emailTaken
  // The link was of a session that has ended or was confirmed since.
  return messages.errors[error === 'SessionRequired' ? 'Verification' : error]
}
