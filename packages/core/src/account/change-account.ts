import { isJsonForm } from '../actions/error-reply.ts'
import { toPageContext } from '../actions/page-replies.ts'
import { createAuthFactors } from '../api/factors.ts'
import { createAuthSessions } from '../api/sessions.ts'
import { createAuthAccounts } from '../api/accounts.ts'
import { createAuthUsers } from '../api/users.ts'
import type { AccountChange, Asked, Context, Input, Service } from '../kernel/context.ts'
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
import type { Factor } from '../ports/records.ts'
import { checkRecent } from '../kernel/points.ts'
import { MAX_FACTOR_NAME } from '../second-factor/factor-name.ts'
import { endSession } from '../session/current-session.ts'
import { renewSession } from './renew-session.ts'
import { showAccountPage } from './show-account-page.ts'
import { getAccountUrl, getSignedInUser } from './signed-in-user.ts'
import { hasFactorToSignIn, takesLastWay, whyKept } from './why-kept.ts'

/** The changes, by the value of the field `action`. */
const changes: ReadonlyMap<string, AccountChange> = new Map<string, AccountChange>([
  ['changeName', changeName],
  ['unlink', unlink],
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
  checkOwnOrigin(ctx, 'the account')
  const given = input.body.fields.get('callbackUrl')
  const elsewhere = given === undefined ? undefined : await resolveReturnUrl(ctx, given)
  const returnUrl = elsewhere ?? getAccountUrl(ctx)
  return applyChange(ctx, input, {
    returnUrl,
    savedUrl: elsewhere ?? `${returnUrl}?saved=true`,
    find: (action) => findChange(ctx, action),
    show: (shown) => showAccountPage(ctx, shown),
  })
}

/** The page whose forms change the account. */
interface ChangePage extends Pick<Asked, 'returnUrl' | 'savedUrl'> {
  /** Returns the change that a value of `action` names. */
  readonly find: (action: string) => AccountChange | undefined
  /** Shows the page again, with the reason why nothing was changed. */
  readonly show: (shown: { readonly status: number; readonly message: string }) => Promise<Reply>
}

/** Makes the change that a form asks for. */
export async function applyChange(
  ctx: Context,
  input: Input,
  { returnUrl, savedUrl, find, show }: ChangePage,
): Promise<Reply> {
  const get = (name: string): string => input.body.fields.get(name) ?? ''
  const signedIn = await getSignedInUser(ctx, returnUrl)
  const change = find(get('action'))
  if (!change) throw new AuthError('Default', 'the field action names no change')
  const refuse: Asked['refuse'] = (status, reason, value = '') => {
    const message = fill(getAccountTexts(ctx.language.messages)[reason], value)
    const error = new AuthError('Default', `the account is not changed: ${reason}`, { status })
    return new Refusal(error, { message, show: (shown) => show({ ...shown, message }) })
  }
  const reply = await change({
    ...signedIn,
    ctx,
    input,
    get,
    returnUrl,
    savedUrl,
    checkRecent: (what) => checkRecent(ctx, returnUrl, what),
    refuse,
    showSaved: async (gone) =>
      ctx.service.capabilities.routes.has('/account')
        ? showAccountPage(ctx, { isSaved: true, gone })
        : redirect(savedUrl, 303),
    checkName: (length, store) => checkName(refuse, length, store),
  })
  return reply ?? redirect(savedUrl, 303)
}

/** A provider whose factors the page shows has its own changes. */
function findChange({ service }: Context, action: string): AccountChange | undefined {
  const ofSections = service.capabilities.sections.map((section) => section.changes.get(action))
  return changes.get(action) ?? ofSections.find(Boolean)
}

async function changeName({ ctx, user, get, savedUrl, ...asked }: Asked): Promise<Reply> {
  const name = get('name').trim() || null
  const users = createAuthUsers(ctx.service, ctx)
  const { user: renamed } = await asked.checkName(MAX_NAME, () => users.update(user.id, { name }))
  const cookies = renamed ? await renewSession(ctx, { previous: user, user: renamed }) : []
  return withCookies(redirect(savedUrl, 303), cookies)
}

export async function unlink({ ctx, user, get, ...asked }: Asked): Promise<void> {
  await asked.checkRecent('link')
  const account = { provider: get('provider'), providerAccountId: get('id') }
  const accounts = createAuthAccounts(ctx.service, ctx)
  const held = {
    user,
    accounts: await accounts.list(user.id),
    hasFactor: await hasFactorToSignIn(ctx, user.id),
  }
  const why = whyKept(ctx.service, held, account)
  if (why) throw asked.refuse(409, why)
  const result = await accounts.unlink(user.id, account)
  if (result === 'unknown') throw asked.refuse(404, 'gone')
  if (result === 'last') throw asked.refuse(409, 'lastWay')
}

async function renameFactor({ ctx, user, get, ...asked }: Asked): Promise<void> {
  await asked.checkRecent('factor')
  const factor = { type: get('type'), id: get('id') }
  const name = get('name').trim() || null
  await checkSecond(ctx.service, user.id, factor, asked)
  const rename = (): Promise<boolean> =>
    createAuthFactors(ctx.service).rename(user.id, factor, name)
  if (!(await asked.checkName(MAX_FACTOR_NAME, rename))) throw asked.refuse(404, 'gone')
}

export async function removeFactor({ ctx, user, get, ...asked }: Asked): Promise<void> {
  await asked.checkRecent('factor')
  const factor = { type: get('type'), id: get('id') }
  await checkSecond(ctx.service, user.id, factor, asked)
  const result = await createAuthFactors(ctx.service, ctx).remove(user.id, factor)
  if (result === 'unknown') throw asked.refuse(404, 'gone')
  if (result === 'removed') return
  const isLastWay = await takesLastWay(ctx, { ...factor, userId: user.id })
  throw asked.refuse(409, isLastWay ? 'lastWay' : 'lastFactor')
}

/** @throws Refusal with 404 if it is not a second factor of the user: passwords and passkeys have their own changes */
async function checkSecond(
  service: Service,
  userId: string,
  factor: Pick<Factor, 'type' | 'id'>,
  { refuse }: Pick<Asked, 'refuse'>,
): Promise<void> {
  const factors = (await service.capabilities.proven?.list(service, userId)) ?? []
  if (factors.some(({ type, id }) => type === factor.type && id === factor.id)) return
  throw refuse(404, 'gone')
}

async function endOneSession({ ctx, user, get, ...asked }: Asked): Promise<void> {
  const isEnded = await createAuthSessions(ctx.service, ctx).revoke(user.id, get('id'))
  if (!isEnded) throw asked.refuse(404, 'gone')
}

function endOtherSessions({ ctx, user, sessionId }: Asked): Promise<void> {
  return createAuthSessions(ctx.service, ctx).revokeAll(user.id, { except: sessionId })
}

async function deleteAccount({ ctx, input, user, get, ...asked }: Asked): Promise<Reply> {
  if (get('sure') !== 'true') throw new AuthError('Default', 'the field sure is missing')
  await asked.checkRecent('factor')
  await createAuthUsers(ctx.service, ctx).delete(user.id)
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

/** @throws Refusal with 400 if the name that `store` receives is invalid */
async function checkName<T>(
  refuse: Asked['refuse'],
  length: number,
  store: () => Promise<T>,
): Promise<T> {
  try {
    return await store()
  } catch (thrown) {
    throw thrown instanceof TypeError ? refuse(400, 'invalidName', String(length)) : thrown
  }
}
