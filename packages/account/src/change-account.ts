import { isJsonForm } from '@latchkey/core/capability/pages'
import {
  toPageContext,
  checkOwnOrigin,
  toRefusal,
  page,
  redirect,
  withCookies,
  resolveReturnUrl,
} from '@latchkey/core/capability'
import {
  applyChange,
  createAuthSessions,
  createAuthUsers,
  getAccountUrl,
  removeFactor,
  renameFactor,
  unlink,
} from '@latchkey/core/capability/factors'
import type {
  AccountChange,
  Asked,
  Context,
  Input,
  Reply,
  CookieChange,
} from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { clearLogoutHint, endSession } from '@latchkey/core/capability/sign-in'
import { renderDeletedPage } from './pages/account.ts'
import { renewSession } from './renew-session.ts'
import { showAccountPage } from './show-account-page.ts'

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
    showSaved: (gone) => showAccountPage(ctx, { isSaved: true, gone }),
  })
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
