import type { Begin, Callback } from '@latchkey/core/capability/sign-in'
import { getSignedInUser } from '@latchkey/core/capability/factors'
import {
  toPageContext,
  checkOwnOrigin,
  startLimit,
  Refusal,
  withRefusal,
  page,
  redirect,
  withCookies,
  spendLimit,
  checkRecent,
  limitChange,
} from '@latchkey/core/capability'
import {
  startSignIn,
  whileAlive,
  findMatchingFlow,
  toFlowOfOtherBrowser,
  remember,
  runCallback,
} from '@latchkey/core/capability/sign-in'
import type { Context, ProviderInput, Reply } from '@latchkey/core/capability'
import { parseEmailAddress, AuthError } from '@latchkey/core/capability/options'
import { renderOtherBrowserPage, toProblemSentence } from '../pages/passwords.ts'
import { askLink } from './ask-link.ts'
import { toCaller } from './caller.ts'
import { finishChoice } from './choose.ts'
import { readLinkToken } from './link-token.ts'
import { isRemoval, removeOtherWay, showOtherWays } from './other-ways.ts'
import { findPasswordFactor } from './password-factor.ts'
import { toKnown } from './recall-browser.ts'
import { replacePassword } from './replace-password.ts'
import { finishProof } from './prove-mailbox.ts'
import { toAction } from './settings.ts'
import type { PasswordAction, PasswordSettings } from './settings.ts'
import {
  getChangeUrl,
  getForgotUrl,
  getSavedUrl,
  getVerifiedEmail,
  redirectToSignIn,
  showAskForm,
  showChangeForm,
  showChoiceForm,
} from './show-forms.ts'
import type { FormProblem } from './show-forms.ts'
import { signIn } from './sign-in.ts'

/** Shows a form of `GET /signin/passwords?action=…`. */
export async function show(
  ctx: Context,
  settings: PasswordSettings,
  input: ProviderInput,
): Promise<Reply> {
  const named = input.query.get('action')
  if (named === 'ways') return showOtherWays(ctx, settings, input)
  const action = toAction(named)
  if (!action) throw new AuthError('Default', 'the parameter action names no form', { status: 400 })
  const error = input.query.get('error')
  if (action === 'change') {
    const { session } = await ctx.readSession()
    if (session) return showChangeForm(ctx, settings)
    return redirectToSignIn(ctx, getChangeUrl(ctx, settings))
  }
  const message = error === 'Verification' ? ctx.language.messages.errors.Verification : undefined
  const problem = message === undefined ? undefined : { message, status: 200, isMistake: false }
  return showAskForm(ctx, settings, input, action, problem)
}

/**
 * Answers `POST /signin/passwords`: signs in, sends a link, changes the password of a session's user, or removes another way in of the
 * user.
 */
export async function start(
  ctx: Context,
  settings: PasswordSettings,
  input: ProviderInput,
): Promise<Reply> {
  const asked = input.body.fields.get('action')
  if (asked === undefined) return startSignIn(ctx, input, toBegin(ctx, settings))
  if (isRemoval(ctx, asked)) return removeOtherWay(ctx, settings, input)
  const action = toAction(asked)
  if (!action) throw new AuthError('Default', 'the field action names no form', { status: 400 })
  if (action === 'change') return change(ctx, settings, input)
  return withRefusal(
    () => startSignIn(ctx, input, toBegin(ctx, settings, action)),
    ({ error: { code, status: own } }) => {
      const isResent = input.body.fields.get('resend') === 'true'
      if (isResent || !['EmailSignin', 'RateLimited', 'Unavailable'].includes(code))
        return undefined
      const email = input.body.fields.get('email')
      const isMistake = code === 'EmailSignin' && own < 500
      return {
        show: ({ message, status }) =>
          showAskForm(ctx, settings, input, action, { message, status, email, isMistake }),
      }
    },
  )
}

/** Answers `GET /callback/passwords`: shows the form of a link, or signs in whose password was right (I-55.10). */
export async function receive(
  ctx: Context,
  settings: PasswordSettings,
  { provider }: ProviderInput,
): Promise<Reply> {
  const params = new URL(ctx.request.url).searchParams
  if (params.get('prove') !== 'true') return showChoiceForm(ctx, settings, params)
  const found = await findMatchingFlow(ctx, provider, params)
  if (!found) return page(renderOtherBrowserPage(toPageContext(ctx)))
  const finish = toFinish(ctx, settings)
  return runCallback(ctx, { provider, finish, params, found, spent: [] })
}

/** Answers `POST /callback/passwords`: uses a link, or signs in, as next-auth clients do (I-43). */
export async function post(
  ctx: Context,
  settings: PasswordSettings,
  input: ProviderInput,
): Promise<Reply> {
  const { fields } = input.body
  if (!fields.has('token')) {
    await startLimit(ctx)
    return start(ctx, settings, input)
  }
  checkOwnOrigin(ctx, 'a password')
  await startLimit(ctx)
  const params = new URLSearchParams([...fields])
  const address = parseEmailAddress(params.get('email') ?? '') ?? ''
  // Else the password of any request would be looked up, and finishing refuses it.
  if (await readLinkToken(ctx.service.keys.token, address, params.get('token'))) {
    await checkPassword(ctx, settings, fields.get('password'), (problem) =>
      showChoiceForm(ctx, settings, params, problem),
    )
  }
  const own = await findMatchingFlow(ctx, input.provider, params)
  const found = own ?? (await toFlowOfOtherBrowser(ctx, params))
  return runCallback(ctx, {
    provider: input.provider,
    finish: toFinish(ctx, settings),
    params,
    found,
    spent: [],
    getRetryUrl: ({ code }) =>
      code === 'Verification' ? getForgotUrl(ctx, settings, params) : undefined,
  })
}

/** New passwords of a user that are hashed: a hash costs more than the request (I-55.12). */
const changes = { name: 'passwordChanges', limit: { times: 10, window: 600 } }

/** Stores another password of the user of a session, and ends the other sessions. */
async function change(
  ctx: Context,
  settings: PasswordSettings,
  input: ProviderInput,
): Promise<Reply> {
  checkOwnOrigin(ctx, 'a password')
  const formUrl = getChangeUrl(ctx, settings)
  const { user, storage } = await getSignedInUser(ctx, formUrl)
  const email = getVerifiedEmail(ctx, user)
  await checkRecent(ctx, formUrl, 'factor')
  const password = input.body.fields.get('password')
  await checkPassword(ctx, settings, password, (problem) => showChangeForm(ctx, settings, problem))
  await spendLimit(ctx, changes, user.id)
  await limitChange(ctx, user.id)
  const before = await findPasswordFactor(storage, user.id)
  const hash = await settings.work.hash(password ?? '', toCaller(ctx, true, user.id))
  const replaces = { changedAt: before?.changedAt }
  const { session } = await ctx.readSession()
  // It may have ended while the password was hashed.
  const { provenBy } = await whileAlive(ctx, session, ({ id: except }) =>
    replacePassword(ctx, storage, user.id, { hash, replaces, except }),
  )
  const known = await toKnown(ctx, settings, email, provenBy.changedAt)
  const cookies = await remember(ctx, settings.provider, known)
  return withCookies(redirect(getSavedUrl(ctx), 303), cookies)
}

/** @throws Refusal `Default` with 400, which shows the form again: not what was typed */
async function checkPassword(
  ctx: Context,
  { work }: PasswordSettings,
  password: string | undefined,
  showForm: (problem: FormProblem) => Promise<Reply>,
): Promise<void> {
  const problem = await work.findProblem(password ?? '', ctx.service.log)
  if (!problem) return
  const error = new AuthError('Default', `the password is refused: ${problem}`, { status: 400 })
  const message = toProblemSentence(ctx.language.messages, problem, work)
  throw new Refusal(error, {
    message,
    show: ({ status }) => showForm({ message, status, isMistake: true }),
  })
}

/** Returns what begins: a sign-in, or the email of an action. */
function toBegin(
  ctx: Context,
  settings: PasswordSettings,
  action?: Exclude<PasswordAction, 'change'>,
): Begin {
  return (input) => (action ? askLink(ctx, settings, input, action) : signIn(ctx, settings, input))
}

/** Returns what proves an identity by the token of an email. */
function toFinish(ctx: Context, settings: PasswordSettings): NonNullable<Callback['finish']> {
  return (callback) =>
    callback.params.get('prove') === 'true'
      ? finishProof(ctx, callback)
      : finishChoice(ctx, settings, callback)
}
