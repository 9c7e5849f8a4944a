import {
  applyChange,
  listSections,
  unlink,
  getSignedInUser,
  hasFactorToSignIn,
  whyKept,
  createAuthAccounts,
} from '@latchkey/core/capability/factors'
import {
  toPageContext,
  checkOwnOrigin,
  page,
  redirect,
  withCookies,
  getReturnUrl,
  toUrl,
} from '@latchkey/core/capability'
import type {
  AccountChange,
  Context,
  Done,
  DoneSignIn,
  ProviderInput,
  SignedInUser,
  Reply,
} from '@latchkey/core/capability'
import { renderWaysPage } from '../pages/other-ways.ts'
import type { OtherWay } from '../pages/other-ways.ts'
import type { AccountInfo, StoredUser } from '@latchkey/core'
import { redirectToSignIn } from './show-forms.ts'
import type { PasswordSettings } from './settings.ts'

/** A user who reviews. */
type Holder = Pick<SignedInUser, 'storage' | 'user'>

/** What the page says of the last removal. */
interface Shown {
  readonly message?: string
  readonly status?: number
}

/**
 * Returns the page that a reset leads to first, if its user has other ways in: what an attacker has added before is seen and removed
 * there (I-55.15).
 */
export async function offerReview(
  ctx: Context,
  settings: PasswordSettings,
  { provider, identity, userId }: DoneSignIn,
): Promise<Done | undefined> {
  // Only the link of a reset proves the mailbox of a user who is stored.
  const isReset = provider.id === settings.provider.id && identity.emailProven === true
  const { storage } = ctx.service
  const user = isReset && !identity.newFactor ? await storage?.getUser(userId) : undefined
  if (!storage || !user) return undefined
  if ((await listOtherWays(ctx, { storage, user })).length === 0) return undefined
  return { page: { rank: 1, getUrl: (callbackUrl) => getWaysUrl(ctx, settings, callbackUrl) } }
}

/** Shows the other ways in of the user of a session; without one, leads to the return URL. */
export async function showOtherWays(
  ctx: Context,
  settings: PasswordSettings,
  input: ProviderInput,
  { message, status }: Shown = {},
): Promise<Reply> {
  const callbackUrl = await getReturnUrl(ctx, input)
  const pageUrl = getWaysUrl(ctx, settings, callbackUrl)
  if (!(await ctx.readSession()).session) return redirectToSignIn(ctx, pageUrl)
  const ways = await listOtherWays(ctx, await getSignedInUser(ctx, pageUrl))
  if (ways.length === 0 && message === undefined) return redirect(callbackUrl)
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const view = {
    ...toPageContext(ctx),
    url: `${ctx.baseUrl.href}/signin/${settings.provider.id}`,
    hidden: { csrfToken, callbackUrl },
    callbackUrl,
    message,
    ways,
    days: new Intl.DateTimeFormat(ctx.language.tag, { dateStyle: 'medium', timeZone: 'UTC' }),
  }
  return withCookies(page(renderWaysPage(view), status), cookies)
}

/** Returns whether a form removes a way in. */
export function isRemoval(ctx: Context, action: string): boolean {
  return findRemoval(ctx, action) !== undefined
}

/** Removes a way in by the rules of the account page (I-54.4), and shows the others. */
export async function removeOtherWay(
  ctx: Context,
  settings: PasswordSettings,
  input: ProviderInput,
): Promise<Reply> {
  checkOwnOrigin(ctx, 'the account')
  const returnUrl = getWaysUrl(ctx, settings, await getReturnUrl(ctx, input))
  return applyChange(ctx, input, {
    returnUrl,
    savedUrl: returnUrl,
    find: (action) => findRemoval(ctx, action),
    show: (shown) => showOtherWays(ctx, settings, input, shown),
  })
}

function findRemoval({ service }: Context, action: string): AccountChange | undefined {
  if (action === 'unlink') return unlink
  const section = listSections(service).find(({ removals = [] }) => removals.includes(action))
  const remove = section?.changes?.get(action)
  // Its own reply is for the account page.
  return remove && (async (asked) => void (await remove(asked)))
}

async function listOtherWays(ctx: Context, signedIn: Holder): Promise<readonly OtherWay[]> {
  const [ofSections, accounts] = await Promise.all([
    listOfSections(ctx, signedIn),
    listAccounts(ctx, signedIn.user),
  ])
  return [...ofSections, ...accounts]
}

/** Lists what the sections of the account page can remove that opens the account, such as passkeys. */
async function listOfSections(ctx: Context, signedIn: Holder): Promise<readonly OtherWay[]> {
  const held = listSections(ctx.service).map(async ({ read, removals = [] }) => {
    if (removals.length === 0) return []
    const { rows = [] } = await read(ctx, signedIn)
    return rows.flatMap(({ removal, ...row }) => {
      const isListed = removal && removals.includes(removal.fields['action'] ?? '')
      return isListed ? { ...row, fields: removal.fields } : []
    })
  })
  return (await Promise.all(held)).flat()
}

/** Lists the linked accounts that can be removed: the link has proven the mailbox of the user's own email address. */
async function listAccounts(ctx: Context, user: StoredUser): Promise<readonly OtherWay[]> {
  const { service } = ctx
  const accounts = await createAuthAccounts(service).list(user.id)
  const held = { user, accounts, hasFactor: await hasFactorToSignIn(ctx, user.id) }
  const isRemovable = (account: AccountInfo): boolean => !whyKept(service, held, account)
  return accounts
    .filter(isRemovable)
    .map(({ provider, type, providerAccountId: id, ...times }) => ({
      ...times,
      name: type === 'email' ? id : (service.providers.get(provider)?.name ?? provider),
      fields: { action: 'unlink', provider, id },
    }))
}

function getWaysUrl(ctx: Context, { provider }: PasswordSettings, callbackUrl: string): string {
  const url = `${ctx.baseUrl.href}/signin/${provider.id}?action=ways`
  return toUrl(ctx, url, { callbackUrl })
}
