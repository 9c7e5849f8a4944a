import {
  checkRecent,
  toPageContext,
  checkNoDuplicates,
  Refusal,
  page,
  redirect,
  withCookies,
  getReturnUrl,
  getSignInUrl,
  toUrl,
  requireStorage,
} from '@latchkey/core/capability'
import { toUserName } from '@latchkey/core/capability/pages'
import { getAccountUrl, getSignedInUser } from '@latchkey/core/capability/factors'
import type { Context, ProviderInput, Reply } from '@latchkey/core/capability'
import { parseEmailAddress, AuthError, getCallbackUrl } from '@latchkey/core/capability/options'
import { renderAskPage, renderChoicePage } from '../pages/passwords.ts'
import { getPasswordTexts } from '../texts.ts'
import { readLinkToken } from './link-token.ts'
import { findOwner, findPasswordFactor } from './password-factor.ts'
import type { PasswordAction, PasswordSettings } from './settings.ts'

/** What a form says of the last attempt. */
export interface FormProblem {
  readonly message: string
  readonly status: number
  /** The email address that was typed. */
  readonly email?: string | undefined
  /** Whether the message is about what was typed. */
  readonly isMistake: boolean
}

/** Shows the form that asks for a link. */
export async function showAskForm(
  ctx: Context,
  { provider }: PasswordSettings,
  input: ProviderInput,
  action: Exclude<PasswordAction, 'change'>,
  problem?: FormProblem,
): Promise<Reply> {
  const callbackUrl = await getReturnUrl(ctx, input)
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const view = {
    ...toPageContext(ctx),
    action,
    url: `${ctx.baseUrl.href}/signin/${provider.id}`,
    hidden: { csrfToken, callbackUrl, action },
    message: problem?.message,
    email: problem?.email,
    isMistake: problem?.isMistake === true,
    signInUrl: getSignInUrl(ctx, callbackUrl),
  }
  return withCookies(page(renderAskPage(view), problem?.status), cookies)
}

/**
 * Shows the form on which the user of a session changes or adds a password, once the session is confirmed.
 *
 * @throws Refusal `SessionRequired`, `ConfirmationRequired`; `Default` if the user has no verified email address
 */
export async function showChangeForm(
  ctx: Context,
  settings: PasswordSettings,
  problem?: FormProblem,
): Promise<Reply> {
  const { provider, work } = settings
  const formUrl = getChangeUrl(ctx, settings)
  const { user, storage } = await getSignedInUser(ctx, formUrl)
  const email = getVerifiedEmail(ctx, user)
  await checkRecent(ctx, formUrl, 'factor')
  const factor = await findPasswordFactor(storage, user.id)
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const view = {
    ...toPageContext(ctx),
    heading: factor ? ('change' as const) : ('add' as const),
    url: `${ctx.baseUrl.href}/signin/${provider.id}`,
    hidden: { csrfToken, action: 'change' },
    email,
    minLength: work.minLength,
    message: problem?.message,
    signedInAs: undefined,
  }
  return withCookies(page(renderChoicePage(view), problem?.status), cookies)
}

/** Leads a request without a session to the sign-in page, and from there back. */
export function redirectToSignIn(ctx: Context, url: string): Reply {
  return redirect(toUrl(ctx, getSignInUrl(ctx, url), { error: 'SessionRequired' }))
}

/** @throws Refusal `Default` */
export function getVerifiedEmail(
  { language }: Context,
  { email, emailVerified }: { readonly email: string | null; readonly emailVerified: boolean },
): string {
  if (email !== null && emailVerified) return email
  const error = new AuthError('Default', 'a password needs a verified email address', {
    status: 409,
  })
  throw new Refusal(error, { message: getPasswordTexts(language.messages).needsEmail })
}

/** Shows the form of a link. It changes nothing (I-55.2). */
export async function showChoiceForm(
  ctx: Context,
  settings: PasswordSettings,
  params: URLSearchParams,
  problem?: FormProblem,
): Promise<Reply> {
  const { provider, work } = settings
  checkNoDuplicates(params, 'Verification')
  const token = params.get('token') ?? ''
  const email = parseEmailAddress(params.get('email') ?? '')
  if (email === undefined || !(await readLinkToken(ctx.service.keys.token, email, token))) {
    const error = new AuthError('Verification', 'the link is incomplete, or of another service')
    throw new Refusal(error, { retryUrl: getForgotUrl(ctx, { provider }, params) })
  }
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const callbackUrl = params.get('callbackUrl')
  const { session } = await ctx.readSession()
  const isOther = session && (session.user ?? session.token).email !== email
  const view = {
    ...toPageContext(ctx),
    heading: 'choose' as const,
    url: getCallbackUrl(ctx.baseUrl, provider),
    hidden: { csrfToken, token, ...(callbackUrl !== null && { callbackUrl }) },
    email,
    minLength: work.minLength,
    message: problem?.message,
    signedInAs: isOther ? toUserName(session) : undefined,
    name: (await isNew(ctx, settings, email)) ? (params.get('name') ?? '') : undefined,
  }
  return withCookies(page(renderChoicePage(view), problem?.status), cookies)
}

/** Returns whether a link creates a user, who is asked for a name. */
async function isNew(
  { service }: Context,
  { provider, asksName }: PasswordSettings,
  address: string,
): Promise<boolean> {
  if (!asksName) return false
  const storage = requireStorage(service.storage, `providers.${provider.id}`, ['factors'])
  return (await findOwner(storage, address)) === undefined
}

/** Returns the URL of the form that asks for another link, with the return URL of a link. */
export function getForgotUrl(
  ctx: Context,
  { provider }: Pick<PasswordSettings, 'provider'>,
  params: URLSearchParams,
): string {
  const url = `${ctx.baseUrl.href}/signin/${provider.id}?action=forgot`
  return toUrl(ctx, url, { callbackUrl: params.get('callbackUrl') ?? undefined })
}

/** Returns the URL of the form that changes a password. */
export function getChangeUrl({ baseUrl }: Context, { provider }: PasswordSettings): string {
  return `${baseUrl.href}/signin/${provider.id}?action=change`
}

/** Returns the URL of the account page, if there is one; else the origin. */
export function getSavedUrl(ctx: Context): string {
  return ctx.service.capabilities.routes.has('/account')
    ? `${getAccountUrl(ctx)}?saved=true`
    : ctx.baseUrl.origin
}
