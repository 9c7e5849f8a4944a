import { isJsonForm } from '../actions/error-reply.ts'
import { toPageContext } from '../actions/page-replies.ts'
import { createAuthAccounts } from '../api/accounts.ts'
import { createAuthSessions } from '../api/sessions.ts'
import { createUserCalls } from '../api/user-calls.ts'
import { getConfirmations } from '../confirmation/get-confirmations.ts'
import type { Context, Input } from '../context.ts'
import { AuthError } from '../errors.ts'
import { checkOwnOrigin } from '../gates.ts'
import { Refusal, toRefusal } from '../http/refusal.ts'
import { page, redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { resolveReturnUrl } from '../http/return-url.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { clearLogoutHint } from '../logout/provider-logout.ts'
import { getAccountTexts, renderDeletedPage } from '../pages/account.ts'
import { fill } from '../pages/messages.ts'
import { findPasswordOfUser } from '../passwords/find-provider.ts'
import { getSecurityNotices } from '../security-emails/get-security-notices.ts'
import { getSecondFactors } from '../second-factor/get-second-factors.ts'
import { MAX_FACTOR_NAME } from '../second-factor/factor-name.ts'
import type { AuthFactors } from '../second-factor/second-factors.ts'
import { endSession } from '../session/current-session.ts'
import { renewSession } from './renew-session.ts'
import { showAccountPage } from './show-account-page.ts'
import { getAccountUrl, getSignedInUser } from './signed-in-user.ts'
import type { SignedInUser } from './signed-in-user.ts'
import { whyKept } from './why-kept.ts'

/** What a form of the account page asks for. */
interface Asked extends SignedInUser {
  readonly ctx: Context
  readonly input: Input
  /** Returns a field of the form; empty if it is missing. */
  readonly get: (name: string) => string
  /** Where a confirmation leads. */
  readonly returnUrl: string
  /** Where the reply to a stored change leads. */
  readonly savedUrl: string
}

/** A change of the account. What it returns replaces the redirect to the account page. */
type Change = (asked: Asked) => Promise<Reply | void>

/** The changes, by the value of the field `action`. */
const changes: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['changeName', changeName],
  ['unlink', unlink],
  ['removePassword', removePassword],
  ['renameFactor', renameFactor],
  ['removeFactor', removeFactor],
  ['endSession', endOneSession],
  ['endOtherSessions', endOtherSessions],
  ['deleteAccount', deleteAccount],
])

/** Characters of a user's name, as a storage keeps it (I-40). */
const MAX_NAME = 255

/** Changes what a form asks for, and shows the account again, or the page of `callbackUrl` (I-54.2). */
export async function changeAccount(ctx: Context, input: Input): Promise<Reply> {
  const { fields } = input.body
  checkOwnOrigin(ctx, 'the account')
  const given = fields.get('callbackUrl')
  const elsewhere = given === undefined ? undefined : await resolveReturnUrl(ctx, given)
  const returnUrl = elsewhere ?? getAccountUrl(ctx)
  const signedIn = await getSignedInUser(ctx, returnUrl)
  const change = changes.get(fields.get('action') ?? '')
  if (!change) throw new AuthError('Default', 'the field action names no change')
  const get = (name: string): string => fields.get(name) ?? ''
  const savedUrl = elsewhere ?? `${returnUrl}?saved=true`
  const reply = await change({ ...signedIn, ctx, input, get, returnUrl, savedUrl })
  return reply ?? redirect(savedUrl, 303)
}

async function changeName({ ctx, user, get, savedUrl }: Asked): Promise<Reply> {
  const name = get('name').trim() || null
  const { users } = createUserCalls(ctx.service, ctx)
  const { user: changed } = await checkName(ctx, MAX_NAME, () => users.update(user.id, { name }))
  const cookies = changed ? await renewSession(ctx, { previous: user, user: changed }) : []
  return withCookies(redirect(savedUrl, 303), cookies)
}

async function unlink({ ctx, user, get, returnUrl }: Asked): Promise<void> {
  await checkRecent(ctx, returnUrl, 'link')
  const account = { provider: get('provider'), providerAccountId: get('id') }
  const { accounts } = createUserCalls(ctx.service, ctx)
  const held = {
    user,
    accounts: await accounts.list(user.id),
    hasPassword: (await findPasswordOfUser(ctx.service, user.id)) !== undefined,
  }
  const why = whyKept(ctx.service, held, account)
  if (why) throw refuse(ctx, 409, why)
  const result = await accounts.unlink(user.id, account)
  if (result === 'unknown') throw refuse(ctx, 404, 'gone')
  if (result === 'last') throw refuse(ctx, 409, 'lastWay')
}

async function renameFactor({ ctx, user, get, returnUrl }: Asked): Promise<void> {
  await checkRecent(ctx, returnUrl, 'factor')
  const factor = { type: get('type'), id: get('id') }
  const name = get('name').trim() || null
  const rename = (): Promise<boolean> => getFactors(ctx).rename(user.id, factor, name)
  if (!(await checkName(ctx, MAX_FACTOR_NAME, rename))) throw refuse(ctx, 404, 'gone')
}

async function removePassword({ ctx, user, storage, returnUrl }: Asked): Promise<void> {
  const { service } = ctx
  const password = await findPasswordOfUser(service, user.id)
  if (!password) throw refuse(ctx, 404, 'gone')
  await checkRecent(ctx, returnUrl, 'factor')
  const accounts = await createAuthAccounts(service).list(user.id)
  const isOnly = !accounts.some(({ provider }) => service.providers.has(provider))
  const { type, id } = password
  const removed = isOnly ? 'last' : await storage.deleteFactor(user.id, type, id)
  if (removed === 'last') throw refuse(ctx, 409, 'lastWay')
  // A sign-in that has begun with the password ends.
  await getSecondFactors(service)?.endSteps(service, user.id)
  getSecurityNotices(service)?.note(ctx, { userId: user.id, change: 'passwordChanged' })
}

async function removeFactor({ ctx, user, get, returnUrl }: Asked): Promise<void> {
  await checkRecent(ctx, returnUrl, 'factor')
  const factor = { type: get('type'), id: get('id') }
  const result = await getFactors(ctx).remove(user.id, factor)
  if (result === 'unknown') throw refuse(ctx, 404, 'gone')
  if (result === 'last') throw refuse(ctx, 409, 'lastFactor')
}

/** Without second factors, each one is unknown. */
function getFactors(ctx: Context): AuthFactors {
  const secondFactors = getSecondFactors(ctx.service)
  if (secondFactors) return secondFactors.createApi(ctx.service, ctx)
  throw refuse(ctx, 404, 'gone')
}

async function endOneSession({ ctx, user, get }: Asked): Promise<void> {
  const isEnded = await createAuthSessions(ctx.service).revoke(user.id, get('id'))
  if (!isEnded) throw refuse(ctx, 404, 'gone')
}

function endOtherSessions({ ctx, user, sessionId }: Asked): Promise<void> {
  return createAuthSessions(ctx.service).revokeAll(user.id, { except: sessionId })
}

async function deleteAccount({ ctx, input, user, get, returnUrl }: Asked): Promise<Reply> {
  if (get('sure') !== 'true') throw new AuthError('Default', 'the field sure is missing')
  await checkRecent(ctx, returnUrl, 'factor')
  await createUserCalls(ctx.service).users.delete(user.id)
  const cookies = await endOwnSession(ctx)
  const deleted = isJsonForm(ctx, input)
    ? redirect(ctx.baseUrl.origin)
    : page(renderDeletedPage(toPageContext(ctx)))
  return withCookies(deleted, [...cookies, ...clearLogoutHint(ctx)])
}

/** Ends the session of the request. With its user it has ended in any case, also if the storage fails. */
async function endOwnSession(ctx: Context): Promise<readonly CookieChange[]> {
  try {
    return (await endSession(ctx)).cookies
  } catch (thrown) {
    return toRefusal(thrown).options.cookies ?? []
  }
}

/** @throws Refusal `ConfirmationRequired`, which leads to `returnUrl` after the confirmation (I-51.8) */
async function checkRecent(
  ctx: Context,
  returnUrl: string,
  change: 'link' | 'factor',
): Promise<void> {
  await getConfirmations(ctx.service)?.checkRecent(ctx, returnUrl, change)
}

/** @throws Refusal with 400 if the name that `store` receives is invalid */
async function checkName<T>(ctx: Context, length: number, store: () => Promise<T>): Promise<T> {
  try {
    return await store()
  } catch (thrown) {
    throw thrown instanceof TypeError ? refuse(ctx, 400, 'invalidName', String(length)) : thrown
  }
}

/** Shows the account again, with the reason why nothing was changed. */
function refuse(
  ctx: Context,
  status: number,
  reason: 'gone' | 'isEmail' | 'lastWay' | 'lastFactor' | 'invalidName',
  value: string = '',
): Refusal {
  const message = fill(getAccountTexts(ctx.language.messages)[reason], value)
  const error = new AuthError('Default', `the account is not changed: ${reason}`, { status })
  return new Refusal(error, {
    message,
    show: (shown) => showAccountPage(ctx, { ...shown, message }),
  })
}
